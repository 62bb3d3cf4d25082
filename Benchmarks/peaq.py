"""PEAQ, the basic version: how bad a sound is beside its original, from 0 (no difference heard) to -4 (very annoying).

ITU-R BS.1387-2 (annex 2, "basic version"), as far as its text goes: this program was not checked against the ITU's own
conformance sounds, so its grades can be compared with each other, but not with those of another program. Below -3 or so
the grade hardly moves any more.

A grade is made of eleven "model output variables" (MOVs): what differs between the patterns that both sounds make on the
basilar membrane, weighed by a small neural net that was trained with the grades of listeners.
"""
import numpy as np

RATE = 48_000
SIZE, HOP = 2048, 1024
FRAMES_PER_SECOND = RATE / HOP
BINS = np.arange(SIZE // 2 + 1)
HZ = BINS * RATE / SIZE

# --- The ear (2.1) ----------------------------------------------------------------------------------------------------

# A sine at full scale sounds at 92 dB.
WINDOW = 0.5 * (1 - np.cos(2 * np.pi * np.arange(SIZE) / (SIZE - 1)))
LEVEL = 10 ** (92 / 20) / (0.84971762641205 * 0.25 * (SIZE - 1))


def outer_ear():
    khz = np.maximum(HZ, 1e-3) / 1000
    decibels = -2.184 * khz**-0.8 + 6.5 * np.exp(-0.6 * (khz - 3.3) ** 2) - 0.001 * khz**3.6
    return 10 ** (np.maximum(decibels, -300) / 20)


OUTER_EAR = outer_ear()


def critical_bands():
    """Edges of the bands, a quarter of a Bark each from 80 Hz to 18 kHz, and which share of each bin lies in which."""
    bark, hertz = (lambda f: 7 * np.arcsinh(f / 650)), (lambda z: 650 * np.sinh(z / 7))
    low, high = bark(80), bark(18_000)
    count = int(np.ceil((high - low) * 4))
    edges = hertz(np.minimum(low + np.arange(count + 1) / 4, high))
    centers = hertz((bark(edges[:-1]) + bark(edges[1:])) / 2)
    width = RATE / SIZE
    bottom = np.maximum(edges[:-1, None], (BINS - 0.5) * width)
    top = np.minimum(edges[1:, None], (BINS + 0.5) * width)
    return centers, np.maximum(top - bottom, 0) / width


CENTERS, SHARES = critical_bands()
BANDS = len(CENTERS)
INNER_NOISE = 10 ** (0.1456 * (CENTERS / 1000) ** -0.8)
MASKING_OFFSET = 10 ** (np.where(np.arange(BANDS) / 4 <= 12, 3, np.arange(BANDS) / 16) / 10)


def decay(slowest, fastest=0.008):
    """How much of a frame's value is left in the next one, by band: low bands are slow."""
    return np.exp(-1 / (FRAMES_PER_SECOND * (fastest + 100 / CENTERS * (slowest - fastest))))


def smooth(values, keep, gain=None):
    """A low pass of the first order along time, from a state of zeros."""
    result, state = np.empty_like(values), np.zeros(values.shape[1])
    gain = 1 - keep if gain is None else gain
    for frame, value in enumerate(values):
        state = keep * state + gain * value
        result[frame] = state
    return result


def spread(energy):
    """Spreads each band's energy over its neighbors: by 27 dB a Bark downward, and less upward the louder it is."""

    def unnormalized(energy):
        down = 10 ** (-2.7 / 4)
        up = 10 ** ((-2.4 - 23 / CENTERS) / 4) * energy ** (0.2 / 4)
        # The sum over both slopes, by which each band's energy is divided.
        band = np.arange(BANDS)
        total = (1 - down ** (band + 1)) / (1 - down) + (1 - up ** (BANDS - band)) / (1 - up) - 1
        part = (energy / total) ** 0.4
        result = np.zeros_like(energy)
        carried = np.zeros(energy.shape[:-1])
        for index in range(BANDS - 1, -1, -1):
            carried = down**0.4 * carried + part[..., index]
            result[..., index] = carried
        factor = up**0.4
        for index in range(BANDS - 1):
            distance = np.arange(1, BANDS - index)
            result[..., index + 1 :] += (part[..., index] * (factor[..., index] ** distance[:, None])).T
        return result**2.5

    return unnormalized(energy) / unnormalized(np.ones((1, BANDS)))


class Ear:
    """What one channel does on the basilar membrane, frame by frame."""

    def __init__(self, samples):
        frames = max(1, (len(samples) - SIZE) // HOP + 1)
        samples = np.pad(samples, (0, max(0, SIZE - len(samples))))
        index = np.arange(SIZE) + HOP * np.arange(frames)[:, None]
        # A frame whose second half has less energy than this, 8000 in units of 16-bit samples, is next to silence.
        self.is_energetic = (samples[index][:, HOP:] ** 2).sum(1) > 8000 / 32768**2
        self.heard_spectrum = LEVEL * np.abs(np.fft.rfft(samples[index] * WINDOW)) * OUTER_EAR
        self.spectrum = self.heard_spectrum / OUTER_EAR
        self.unsmeared = spread(np.maximum(self.heard_spectrum**2 @ SHARES.T, 1e-12) + INNER_NOISE)
        self.excitation = np.maximum(smooth(self.unsmeared, decay(0.030)), self.unsmeared)

        keep = decay(0.050)
        loudness = self.unsmeared**0.3
        change = np.abs(np.diff(loudness, axis=0, prepend=np.zeros((1, BANDS)))) * FRAMES_PER_SECOND
        self.mean_loudness = smooth(loudness, keep)
        self.modulation = smooth(change, keep) / (1 + self.mean_loudness / 0.3)

    def total_loudness(self):
        """In sones (3.3)."""
        index = 10 ** ((-2 - 2.05 * np.arctan(CENTERS / 4000) - 0.75 * np.arctan((CENTERS / 1600) ** 2)) / 10)
        quiet = 10 ** (0.364 * (CENTERS / 1000) ** -0.8)
        bands = (quiet / (index * 1e4)) ** 0.23 * ((1 - index + index * self.excitation / quiet) ** 0.23 - 1)
        return 24 / BANDS * np.maximum(1.07664 * bands, 0).sum(1)


def adapt(reference, test):
    """Patterns of both without what a change of level or of the spectrum's slope makes (3.1)."""
    keep = decay(0.050)
    past_reference, past_test = smooth(reference, keep), smooth(test, keep)
    level = (np.sqrt(past_reference * past_test).sum(1) / past_test.sum(1)) ** 2
    reference = reference / np.maximum(level, 1)[:, None]
    test = test * np.minimum(level, 1)[:, None]

    shared, own = smooth(test * reference, keep, gain=1), smooth(reference * reference, keep, gain=1)
    ratio = shared / own
    corrections = np.minimum(1 / ratio, 1), np.minimum(ratio, 1)
    adapted = []
    for pattern, correction in zip((test, reference), corrections):
        # The mean of eight bands, three below and four above.
        sums = np.cumsum(np.pad(correction, ((0, 0), (1, 0))), axis=1)
        band = np.arange(BANDS)
        low, high = np.maximum(band - 3, 0), np.minimum(band + 4, BANDS - 1) + 1
        adapted.append(pattern * smooth((sums[:, high] - sums[:, low]) / (high - low), keep))
    return adapted[1], adapted[0]


# --- Model output variables (4) ---------------------------------------------------------------------------------------


def noise_loudness(reference, test, reference_modulation, test_modulation):
    at_reference, at_test = 0.15 * reference_modulation + 0.5, 0.15 * test_modulation + 0.5
    beta = np.exp(-1.5 * (test - reference) / reference)
    added = np.maximum(at_test * test - at_reference * reference, 0)
    bands = (INNER_NOISE / at_test) ** 0.23 * ((1 + added / (INNER_NOISE + at_reference * reference * beta)) ** 0.23 - 1)
    return np.maximum(24 / BANDS * bands.sum(1), 0)


def harmonics_of_error(reference, test, loud):
    """Whether the error has a harmonic structure: the largest peak of the spectrum of its spectrum's autocorrelation."""
    count = 256
    difference = np.log((test.heard_spectrum**2 + 1e-30) / (reference.heard_spectrum**2 + 1e-30))[:, : 2 * count]
    window = 0.5 * np.sqrt(8 / 3) * (1 - np.cos(2 * np.pi * np.arange(count) / (count - 1)))
    peaks = []
    for row in difference[loud]:
        size = 4 * count
        products = np.fft.irfft(np.conj(np.fft.rfft(row[:count], size)) * np.fft.rfft(row, size), size)[:count]
        sums = np.cumsum(np.concatenate([[0], row**2]))
        energies = sums[count : 2 * count] - sums[:count]
        if energies[0] <= 0:
            continue
        correlation = products / np.sqrt(np.maximum(energies[0] * energies, 1e-30))
        power = np.abs(np.fft.rfft(window * (correlation - correlation.mean())) / count) ** 2
        rises = np.flatnonzero(np.diff(power) > 0)
        peaks.append(power[rises[0] + 1 :].max() if len(rises) else 0)
    return 1000 * float(np.mean(peaks)) if peaks else 0.0


def bandwidths(reference, test, counted):
    """Mean highest bins of both in the frames that count, where there is any sound above 8 kHz."""
    original, coded = (20 * np.log10(ear.spectrum[counted] + 1e-12) for ear in (reference, test))
    floor = coded[:, 921:1024].max(1)
    result = []
    for frame in range(len(original)):
        above = np.flatnonzero(original[frame, :921] > floor[frame] + 10)
        highest = above[-1] + 1 if len(above) else 0
        if highest > 346:
            below = np.flatnonzero(coded[frame, :highest] > floor[frame] + 5)
            result.append((highest, below[-1] + 1 if len(below) else 0))
    return np.mean(result, axis=0) if result else (0.0, 0.0)


def detection(references, tests):
    """How probable it is that a difference is detected, and by how many steps, in the frames of both ears together."""
    probability, steps = np.zeros_like(references[0].excitation), np.zeros_like(references[0].excitation)
    for reference, test in zip(references, tests):
        original, coded = 10 * np.log10(reference.excitation), 10 * np.log10(test.excitation)
        level = 0.3 * np.maximum(original, coded) + 0.7 * coded
        safe = np.maximum(level, 1e-3)
        size = 5.95072 * (6.39468 / safe) ** 1.71332 + 9.01033e-11 * level**4 + 5.05622e-6 * level**3
        size = np.where(level > 0, size - 0.00102438 * level**2 + 0.0550197 * level - 0.198719, 1e30)
        error = original - coded
        slope = np.where(error > 0, 4, 6)
        scale = 10 ** (np.log10(np.log10(2)) / slope) / size
        probability = np.maximum(probability, 1 - 10 ** -np.minimum((scale * np.abs(error)) ** slope, 300))
        steps = np.maximum(steps, np.abs(np.trunc(error)) / size)
    return 1 - np.prod(1 - probability, axis=1), steps.sum(1)


def frames_with_sound(reference, count):
    """Which frames count: none before the first or after the last five samples in a row that add up to 200 steps of 16
    bits in some channel (5). Without this, silence at either end of a file makes every mean smaller."""
    sums = [np.convolve(np.abs(channel), np.ones(5), mode="valid") for channel in reference.T]
    loud = np.flatnonzero(np.max(sums, axis=0) >= 200 / 32768)
    starts = HOP * np.arange(count)
    return (starts + SIZE > loud[0]) & (starts < loud[-1] + 5) if len(loud) else starts >= 0


def output_variables(reference, test):
    """The eleven MOVs of two sounds, frames x channels at 48 kHz, in the order that the neural net takes them in."""
    channels = range(reference.shape[1])
    references, tests = [Ear(reference[:, c]) for c in channels], [Ear(test[:, c]) for c in channels]
    frames = np.arange(len(references[0].excitation))
    with_sound = frames_with_sound(reference, len(frames))
    # Modulation and noise need half a second to settle, if a window of four frames is left then.
    late = with_sound & (frames >= int(np.ceil(0.5 * FRAMES_PER_SECOND)))
    if late.sum() < 4:
        late = with_sound
    rows = []
    for original, coded in zip(references, tests):
        masks = original.excitation / MASKING_OFFSET
        noise = (original.heard_spectrum - coded.heard_spectrum) ** 2 @ SHARES.T
        ratios = (noise / masks)[with_sound]

        difference = np.abs(coded.modulation - original.modulation)
        weights = (original.mean_loudness / (original.mean_loudness + 100 * INNER_NOISE**0.3)).sum(1)[late]
        first = 100 / BANDS * (difference / (1 + original.modulation)).sum(1)[late]
        lower = np.where(coded.modulation >= original.modulation, 1, 0.1)
        second = 100 / BANDS * (lower * difference / (0.01 + original.modulation)).sum(1)[late]
        windows = np.convolve(np.sqrt(first), np.ones(4) / 4, mode="valid")

        adapted = adapt(original.excitation, coded.excitation)
        loud = np.minimum(original.total_loudness(), coded.total_loudness()) > 0.1
        from_then = np.argmax(loud) + 3 if loud.any() else 0
        noisy = noise_loudness(*adapted, original.modulation, coded.modulation)[late & (frames >= from_then)]

        width, coded_width = bandwidths(original, coded, with_sound)
        rows.append(
            [
                width,
                coded_width,
                10 * np.log10(ratios.mean() + 1e-12),
                np.sqrt(np.mean(windows**4)),
                0,
                harmonics_of_error(original, coded, with_sound & (original.is_energetic | coded.is_energetic)),
                (weights * first).sum() / weights.sum(),
                (weights * second).sum() / weights.sum(),
                np.sqrt(np.mean(noisy**2)) if len(noisy) else 0,
                0,
                np.mean(10 * np.log10(ratios.max(1) + 1e-12) >= 1.5),
            ]
        )
    variables = np.mean(rows, axis=0)
    probability, steps = (values[with_sound] for values in detection(references, tests))
    heard = probability > 0.5
    total = steps[heard].sum()
    variables[4] = 0 if not heard.any() else np.log10(total / heard.sum()) if total > 0 else -0.5
    variables[9] = smooth(probability[:, None], 0.9).max()
    return variables


# --- The neural net (6) -----------------------------------------------------------------------------------------------

LEAST = [393.916656, 361.965332, -24.045116, 1.110661, -0.206623, 0.074318, 1.113683, 0.950345, 0.029985, 0.000101, 0]
MOST = [921, 881.131226, 16.212030, 107.137772, 2.886017, 13.933351, 63.257874, 1145.018555, 14.819740, 1, 1]
TO_HIDDEN = [
    [-0.502657, 0.436333, 1.219602],
    [4.307481, 3.246017, 1.123743],
    [4.984241, -2.211189, -0.192096],
    [0.051056, -1.762424, 4.331315],
    [2.321580, 1.789971, -0.754560],
    [-5.303901, -3.452257, -10.814982],
    [2.730991, -6.111805, 1.519223],
    [0.624950, -1.331523, -5.955151],
    [3.102889, 0.871260, -5.922878],
    [-1.051468, -0.939882, -0.142913],
    [-1.804679, -0.503610, -0.620456],
]
HIDDEN_BIAS = [-2.518254, 0.654841, -2.207228]
TO_OUTPUT, OUTPUT_BIAS = [-3.817048, 4.107138, 4.629582], -0.307594


def grade(reference, test):
    """The objective difference grade of `test` beside `reference`: both frames x channels at 48 kHz, aligned."""
    sigmoid = lambda x: 1 / (1 + np.exp(-x))
    least = np.array(LEAST)
    scaled = (output_variables(reference, test) - least) / (np.array(MOST) - least)
    hidden = sigmoid(scaled @ np.array(TO_HIDDEN) + HIDDEN_BIAS)
    return -3.98 + 4.20 * sigmoid(float(hidden @ np.array(TO_OUTPUT)) + OUTPUT_BIAS)
