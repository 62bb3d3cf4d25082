"""The sounds that encoders are graded with: recordings from Debian's packages, and made ones that are hard in one way each.

The recordings were drawn by lot, so nobody chose what suits an encoder. The packages of Debian 12 hold them as PCM, FLAC,
Vorbis or Opus.
"""
import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import soundfile

TABLE = Path(__file__).with_name("sounds.tsv")
RATE = 44_100
SECONDS = 6

# --- Made sounds: frames x 2 channels at 44.1 kHz, within -1 and 1 ------------------------------------------------------

TIME = np.arange(SECONDS * RATE) / RATE


def partials(fundamental, amplitudes, vibrato=0.0, vibrato_hertz=5.5):
    """A harmonic tone whose pitch sways by `vibrato`, a fraction of it."""
    phase = 2 * np.pi * fundamental * (TIME - vibrato / (2 * np.pi * vibrato_hertz) * np.cos(2 * np.pi * vibrato_hertz * TIME))
    return sum(amplitude * np.sin(number * phase) for number, amplitude in enumerate(amplitudes, 1))


def vibrato():
    """A bright voice with a vibrato: partials up to 16 kHz that never stand still."""
    left = partials(330, [0.2 / n for n in range(1, 49)], vibrato=0.012)
    return np.stack([left, 0.8 * left], axis=1)


def glide():
    """Two tones that glide over four octaves, one up and one down."""
    octaves = TIME / SECONDS * 4
    up = np.sin(2 * np.pi * np.cumsum(220 * 2**octaves) / RATE)
    down = np.sin(2 * np.pi * np.cumsum(3520 * 2**-octaves) / RATE)
    return np.stack([0.4 * up + 0.1 * down, 0.1 * up + 0.4 * down], axis=1)


def castanets():
    """Clicks in pairs, with silence between them: whatever is spread before them is heard."""
    random = np.random.default_rng(1)
    sound = np.zeros((len(TIME), 2))
    for number, second in enumerate(np.arange(0.2, SECONDS - 0.2, 0.23)):
        for delay in (0, 0.045):
            start, length = int((second + delay) * RATE), 2000
            envelope = np.exp(-np.arange(length) / 250)
            tone = np.sin(2 * np.pi * (1800 + 400 * (number % 3)) * np.arange(length) / RATE)
            click = envelope * (0.5 * tone + 0.3 * random.standard_normal(length))
            sound[start : start + length] += click[:, None] * ([0.7, 0.3] if number % 2 else [0.3, 0.7])
    return sound


def plucked():
    """Chords of plucked strings by a delay line with a low pass: sharp beginnings, and partials that last."""
    random = np.random.default_rng(2)
    sound = np.zeros((len(TIME), 2))
    for second in range(SECONDS):
        for note, (hertz, left) in enumerate(((196, 0.8), (247, 0.6), (294, 0.4), (392, 0.2))):
            delay = round(RATE / hertz)
            line = list(0.25 * random.uniform(-1, 1, delay))
            start = second * RATE + note * 1500
            tone = np.empty(RATE)
            for index in range(RATE):
                tone[index] = line[index % delay]
                line[index % delay] = 0.498 * (line[index % delay] + line[(index + 1) % delay])
            tone = tone[: len(sound) - start]
            sound[start : start + len(tone)] += tone[:, None] * [left, 1 - left]
    return sound


def bells():
    """Struck bars: a few pure partials far from each other, up to 13 kHz, with a sudden beginning."""
    sound = np.zeros((len(TIME), 2))
    for number, second in enumerate(np.arange(0.1, SECONDS - 0.5, 0.4)):
        start = int(second * RATE)
        since = TIME[: len(TIME) - start]
        hertz = 784 * 2 ** ((number * 5 % 12) / 12)
        bar = sum(a * np.exp(-since * d) * np.sin(2 * np.pi * hertz * f * since) for f, a, d in ((1, 0.2, 3), (2.76, 0.12, 6), (5.4, 0.06, 9), (8.93, 0.03, 14)))
        sound[start:] += bar[:, None] * ([0.6, 0.4] if number % 2 else [0.4, 0.6])
    return sound


def drone():
    """A steady chord, the right channel a quarter of a turn ahead of the left: nothing cancels in middle or side."""
    sound = np.zeros((len(TIME), 2))
    for fundamental in (110, 165, 220.5):
        for number in range(1, 20):
            phase = 2 * np.pi * fundamental * number * TIME
            sound += 0.1 / number * np.stack([np.sin(phase), np.cos(phase)], axis=1)
    return sound


def applause():
    """Several thousand claps of noise, each somewhere between both channels."""
    random = np.random.default_rng(3)
    sound = np.zeros((len(TIME), 2))
    length = 900
    envelope = np.exp(-np.arange(length) / 160)
    for start in random.integers(0, len(TIME) - length, 2500):
        clap = np.convolve(random.standard_normal(length), [1, -0.6], mode="same") * envelope
        left = random.uniform(0.1, 0.9)
        sound[start : start + length] += 0.08 * random.uniform(0.3, 1) * clap[:, None] * [left, 1 - left]
    return sound


def drum_roll():
    """Bursts of noise, faster and faster, louder and louder."""
    random = np.random.default_rng(4)
    sound = np.zeros((len(TIME), 2))
    second = 0.1
    while second < SECONDS - 0.2:
        start, length = int(second * RATE), 5000
        burst = random.standard_normal(length) * np.exp(-np.arange(length) / 700)
        body = np.sin(2 * np.pi * 190 * np.arange(length) / RATE) * np.exp(-np.arange(length) / 1500)
        sound[start : start + length] += (0.05 + 0.2 * second / SECONDS) * (0.4 * burst + body)[:, None] * [0.9, 0.7]
        second += 0.16 - 0.018 * second
    return sound


def hum():
    """A hum with a few partials in the lowest kilohertz and a few just below the top of hearing."""
    tone = sum(0.1 * np.sin(2 * np.pi * 100 * n * TIME) / n for n in range(1, 11))
    tone = tone + sum(0.004 * np.sin(2 * np.pi * hertz * TIME) for hertz in (9_700, 12_900, 14_300, 15_800))
    return np.stack([tone, tone], axis=1)


MADE = {"made-" + make.__name__.replace("_", "-"): make for make in (vibrato, glide, castanets, plucked, bells, drone, applause, drum_roll, hum)}

# --- Collecting -------------------------------------------------------------------------------------------------------


def write(path, samples, rate):
    """As 16-bit WAV, by a name that is only there when the file is whole. Another process may write the same one."""
    part = path.with_suffix(f".{os.getpid()}.part")
    soundfile.write(part, np.clip(samples, -1, 1), rate, subtype="PCM_16", format="WAV")
    part.rename(path)


def recordings():
    with TABLE.open(newline="") as file:
        lines = (line for line in file if not line.startswith("#"))
        for name, channels, package, path, start, seconds in csv.reader(lines, delimiter="\t"):
            yield name, int(channels), package, path, int(start), int(seconds)


def fetch(package, folder):
    """The package's file, downloaded by apt unless it is there; nothing is installed."""
    if not list(folder.glob(f"{package}_*.deb")):
        print(f"downloading {package}", file=sys.stderr, flush=True)
        # In a folder of its own until it is whole: another process may download it too, and Ctrl-C may end this one.
        with tempfile.TemporaryDirectory(dir=folder) as part:
            if subprocess.run(["apt-get", "download", "-q", package], cwd=part, stdout=subprocess.DEVNULL).returncode != 0:
                sys.exit(f"Benchmarks/quality: cannot download {package}; it is in Debian 12, see `apt-cache policy {package}`")
            file = next(Path(part).glob("*.deb"))
            file.rename(folder / file.name)
    return next(folder.glob(f"{package}_*.deb"))


def cut(package_file, path, start, seconds, target):
    contents = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package_file], stdout=subprocess.PIPE)
    with tempfile.NamedTemporaryFile(dir=target.parent) as whole:
        status = subprocess.run(["tar", "-x", "-O", f"./{path}"], stdin=contents.stdout, stdout=whole).returncode
        contents.stdout.close()
        contents.wait()
        if status != 0:
            sys.exit(f"Benchmarks/quality: {package_file.name} has no {path}")
        rate = soundfile.info(whole.name).samplerate
        samples, _ = soundfile.read(whole.name, start=start * rate, frames=seconds * rate, always_2d=True)
    write(target, samples, rate)


def collect(folder):
    """All sounds as files of 16-bit WAV, by number of channels, in the order of their names. Makes those that are missing."""
    packages = folder / "packages"
    packages.mkdir(parents=True, exist_ok=True)
    found = {1: [], 2: []}
    for name, make in MADE.items():
        stereo, mono = folder / f"{name}.wav", folder / f"{name}-mono.wav"
        if not (stereo.exists() and mono.exists()):
            samples = make()
            write(stereo, samples, RATE)
            write(mono, samples[:, :1], RATE)
        found[2].append(stereo)
        found[1].append(mono)
    for name, channels, package, path, start, seconds in recordings():
        target = folder / f"{name}.wav"
        if not target.exists():
            cut(fetch(package, packages), path, start, seconds, target)
        found[channels].append(target)
    return {channels: sorted(paths) for channels, paths in found.items()}
