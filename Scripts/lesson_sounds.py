"""The pictures of the lessons about sound and devices: waves, spectra, queues. For draw-lessons."""
import numpy

from picture import Drawing

RATE = 44_100
# Where the frame begins that lesson 3 takes apart.
FRAME = 25 * 1024


def marks(drawing, y, labels, grid_to=None):
    """Labels below an axis; `grid_to` draws lines up to there."""
    for place, label in labels:
        if grid_to is not None:
            drawing.line("grid", (place, y), (place, grid_to))
        drawing.text(place, y + 16, label, "small mid")


def wave_path(sound, left, right, middle, height, columns):
    """The area between the lowest and the highest sample of each column."""
    pieces = numpy.array_split(sound, columns)
    step = (right - left) / columns
    top = [(left + step * (n + 0.5), middle - height * max(piece.max(), 0.004)) for n, piece in enumerate(pieces)]
    low = [(left + step * (n + 0.5), middle - height * min(piece.min(), -0.004)) for n, piece in enumerate(pieces)]
    return "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in top + low[::-1]) + " Z"


def draw_wave(files):
    drawing = Drawing(
        "The sound of the lessons",
        "Three seconds as a wave: a whistle, a trill, two clicks. Below, one millisecond of the whistle as 44 dots.", 312)
    sound = files.sound("bird.wav")
    (left, right, middle) = (30, 740, 80)
    marks(drawing, 140, [(left + second * (right - left) / 3, f"{second} s") for second in (0, 1, 2, 3)], grid_to=20)
    drawing.path("wave", wave_path(sound, left, right, middle, 68, 710))
    for second, label in ((0.6, "whistle"), (1.6, "trill"), (2.5, "shutter")):
        drawing.text(left + second * (right - left) / 3, 16, label, "mid")
    first = FRAME + 1024
    at = left + first / RATE * (right - left) / 3
    drawing.line("c", (at, 24), (at, 164), (left, 192))
    drawing.line("c", (at, 164), (right, 192))
    few = sound[first:first + 45]
    points = [(left + 10 + n * 15.6, 246 - 68 * value) for n, value in enumerate(few)]
    drawing.line("grid", (left, 246), (right, 246))
    drawing.line("a", *points)
    for x, y in points:
        drawing.dot(x, y, 3)
    drawing.text(right, 304, "1 ms of the whistle: 44 samples", "small end")
    return drawing


def spectrogram(sound, columns, length=1024):
    """dB of a full-scale sine, by column and line."""
    window = numpy.hanning(length)
    padded = numpy.concatenate([numpy.zeros(length // 2), sound, numpy.zeros(length)])
    starts = (numpy.arange(columns) + 0.5) * len(sound) / columns
    spectra = [abs(numpy.fft.rfft(padded[int(s):int(s) + length] * window)) * 4 / length for s in starts]
    return 20 * numpy.log10(numpy.maximum(numpy.array(spectra), 1e-6))


def draw_spectrogram(files):
    drawing = Drawing(
        "The same sound as a spectrogram",
        "Time to the right, frequency upwards: the whistle rises from 1.8 to 3.4 kHz, with an octave above it, the trill "
        "swings around 2.6 kHz, and the clicks have all frequencies at once.", 270)
    (left, right, bottom, top, highest) = (56, 740, 236, 14, 12_000)
    columns = 228
    levels = spectrogram(files.sound("bird.wav"), columns)
    lines = int(highest / (RATE / 1024))
    (width, height) = ((right - left) / columns, (bottom - top) / (lines / 3))
    for number, threshold in enumerate((-70, -58, -46, -34, -22)):
        runs = []
        for row in range(lines // 3):
            loud = levels[:, 3 * row:3 * row + 3].max(1) > threshold
            edges = numpy.flatnonzero(numpy.diff(numpy.concatenate([[0], loud.astype(int), [0]])))
            for begin, end in edges.reshape(-1, 2):
                runs.append(f"M{left + begin * width:.1f} {bottom - (row + 1) * height:.1f}h{(end - begin) * width:.1f}"
                            f"v{height:.1f}h-{(end - begin) * width:.1f}z")
        drawing.path("heat", "".join(runs), ' opacity="0.32"')
    for kilohertz in (0, 3, 6, 9, 12):
        y = bottom - kilohertz * 1000 / highest * (bottom - top)
        drawing.line("grid", (left, y), (right, y))
        drawing.text(left - 8, y + 4, f"{kilohertz} kHz" if kilohertz else "0", "small end")
    marks(drawing, bottom, [(left + second * (right - left) / 3, f"{second} s") for second in (0, 1, 2, 3)])
    return drawing


def draw_ticks(files):
    drawing = Drawing(
        "Packets, pictures and milliseconds",
        "Packets of 1024 frames at 44.1 kHz begin every 23.2 ms, pictures every 40 ms. Neither packets nor rounded "
        "milliseconds fall on the others' marks.", 200)
    (left, right) = (110, 740)

    def across(milliseconds):
        return left + milliseconds / 130 * (right - left)

    drawing.text(10, 52, "sound")
    drawing.text(10, 68, "1/44100 s", "small")
    for number in range(5):
        drawing.box(across(number * 1024 / 44.1), 36, across(1024 / 44.1) - left, 32, "plain", f"{number * 1024}")
    drawing.text(10, 112, "pictures")
    drawing.text(10, 128, "1/25 s", "small")
    for number in range(3):
        drawing.box(across(number * 40), 96, across(40) - left, 32, "keep", number)
    drawing.text(10, 172, "milliseconds")
    drawing.line("grid", (left, 166), (right, 166))
    for number in range(0, 131):
        long = 9 if number % 10 == 0 else 4
        drawing.line("grid", (across(number), 166 - long), (across(number), 166))
        if number % 20 == 0:
            drawing.text(across(number), 182, number, "small mid")
    for number in range(1, 6):
        x = across(number * 1024 / 44.1)
        drawing.line("c", (x, 28), (x, 166))
        drawing.text(x, 22, f"{number * 1024 / 44.1:.2f} ms", "small mid c")
    return drawing


def ring_fill():
    """Seconds in the ring over time, in lesson 2: 100 ms fetched, 4 s not, then all; and when the ring is full."""
    (period, room) = (1102, 2 ** 18 // 2)
    (fill, points, full) = (0, [(0, 0)], None)
    for number in range(1, 177):
        time = number * period / RATE
        if fill + period <= room:
            fill += period
        elif full is None:
            full = time
        points.append((time, fill / RATE))
        if time <= 0.1:
            fill = 0
            points.append((time, 0))
    return points + [(points[-1][0], 0), (4.7, 0)], full


def draw_ring(files):
    drawing = Drawing(
        "A ring between two threads",
        "The device's thread writes, the program reads. While nobody reads, the ring fills up within 2.97 s; what comes "
        "then is lost.", 290)
    for x, label, note in ((20, "microphone", "its own clock"), (200, "device's thread", "may not wait"),
                           (560, "the program", "next()")):
        drawing.box(x, 24, 140, 40, "plain", label, 6)
        drawing.text(x + 70, 80, note, "small mid")
    for number in range(10):
        drawing.box(385 + 13 * number, 30, 13, 28, "keep" if 3 <= number < 8 else "none")
    for x, y, label in ((450, 80, "ring"), (416, 22, "read"), (489, 22, "write")):
        drawing.text(x, y, label, "small mid")
    for begin, end in ((160, 198), (340, 383), (515, 558)):
        drawing.arrow((begin, 44), (end, 44))
    (left, right, bottom, top) = (70, 730, 250, 116)
    (points, full) = ring_fill()

    def place(point):
        return (left + point[0] / 4.7 * (right - left), bottom - point[1] / 3.2 * (bottom - top))

    for seconds in (0, 1, 2, 3):
        drawing.line("grid", place((0, seconds)), place((4.7, seconds)))
        drawing.text(left - 8, place((0, seconds))[1] + 4, f"{seconds} s", "small end")
    marks(drawing, bottom, [(place((second, 0))[0], f"{second} s") for second in range(5)])
    (x, y) = place((full, 2.97))
    (end, _) = place(points[-2])
    drawing.box(x, y, end - x, bottom - y, "loss bare", radius=0)
    drawing.line("b", *map(place, points))
    drawing.text((x + end) / 2, (y + bottom) / 2 + 4, "sound is lost", "mid")
    drawing.text(end + 6, bottom - 40, "fetched", "small")
    drawing.text(*place((0.85, 2.05)), "nobody reads", "mid")
    drawing.text(left, 108, "sound in the ring", "small")
    drawing.text(right, bottom + 32, "time", "small end")
    return drawing


def draw_queue(files):
    """Lesson 6: 300 ms in the queue, and a disk that stalls for half a second."""
    drawing = Drawing(
        "A queue that runs empty",
        "The queue holds 300 ms. From 1 s on nothing comes for half a second: after 200 ms it is empty, and 300 ms of "
        "silence are heard.", 290)
    heard = files.sound("heard.wav")
    (left, right, bottom, top, length) = (70, 740, 130, 30, len(heard) / RATE)

    def across(second):
        return left + second / length * (right - left)

    (points, queued, written, time) = ([], 0.0, 0.0, 0.0)
    while written < 3 or queued > 0:
        if not 0.999 < time < 1.499:
            while queued < 0.2999 and written < 3:
                (queued, written) = (queued + 0.1, min(written + 0.1, 3))
        points.append((time, queued))
        (time, queued) = (time + 0.1, max(queued - 0.1, 0))
        queued = round(queued, 6)
        points.append((time, queued))
    for tenths in (0, 1, 2, 3):
        y = bottom - tenths / 4 * (bottom - top)
        drawing.line("grid", (left, y), (right, y))
        drawing.text(left - 8, y + 4, f"{tenths * 100} ms", "small end")
    drawing.box(across(1.2), top, across(1.5) - across(1.2), 240 - top, "loss bare", radius=0)
    drawing.line("b", *((across(t), bottom - q / 0.4 * (bottom - top)) for t, q in points if t <= length))
    drawing.path("wave", wave_path(heard, left, right, 195, 44, 670))
    marks(drawing, 250, [(across(second), f"{second} s") for second in range(4)])
    drawing.text(left, 20, "in the queue", "small")
    drawing.text(left, 156, "heard", "small")
    drawing.text(across(1.35), 22, "300 ms of silence", "mid c")
    return drawing
