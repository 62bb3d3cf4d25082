"""The pictures of the lesson about encoding: windows, lines, bits. For draw-lessons."""
import numpy

from lesson_sounds import FRAME, RATE, marks, wave_path
from picture import Drawing

# The packet that the frame becomes.
PACKET = 26


def draw_windows(files):
    drawing = Drawing(
        "Windows overlap by half",
        "Each window covers 2048 samples and fades in and out; the next begins 1024 samples later. Squared, two "
        "neighbours add up to 1.", 230)
    sound = files.sound("bird.wav")[FRAME - 2048:FRAME + 3072]
    (left, right) = (20, 740)
    scale = (right - left) / 5120
    drawing.path("wave", wave_path(sound, left, right, 70, 48, 700), ' opacity="0.45"')
    window = numpy.sin(numpy.pi / 2048 * (numpy.arange(0, 2049, 16) + 0.5))
    for number, kind in enumerate("adba"):
        at = left + 1024 * scale * number
        drawing.line(kind, *((at + 16 * n * scale, 190 - 54 * value) for n, value in enumerate(window)))
        drawing.text(at + 1024 * scale, 128, f"packet {PACKET - 2 + number}", f"mid {kind}")
    for number in range(6):
        x = left + 1024 * scale * number
        drawing.line("grid", (x, 16), (x, 112))
        drawing.line("grid", (x, 136), (x, 196))
    for number in range(5):
        drawing.text(left + 1024 * scale * (number + 0.5), 214, "1024 samples", "small mid")
    return drawing


def kaiser_bessel(length=2048):
    ramp = numpy.cumsum(numpy.kaiser(length // 2 + 1, 4 * numpy.pi))
    rise = numpy.sqrt(ramp[:-1] / ramp[-1])
    return numpy.concatenate([rise, rise[::-1]])


def frame_lines(sound):
    """1024 lines of the frame, in the unit in which AAC counts: that of 16-bit samples (4.6.11)."""
    (samples, lines) = (numpy.arange(2048), numpy.arange(1024))
    phases = numpy.pi / 1024 * (samples[None] + 0.5 + 512) * (lines[:, None] + 0.5)
    return 2 * 32768 * numpy.cos(phases) @ (sound[FRAME:FRAME + 2048] * kaiser_bessel())


def draw_lines(files):
    drawing = Drawing(
        "The 1024 lines of a frame",
        "The lines of packet 26 with the height of a step in each band. Lines that stand out of the red steps are sent, "
        "the others become 0. Where the whistle is, steps are coarse, as it hides the noise.", 310)
    packet = files.packet(PACKET)
    level = 20 * numpy.log10(numpy.maximum(abs(frame_lines(files.sound("bird.wav"))), 1e-3))
    (left, right, bottom, top, low, high) = (56, 740, 262, 30, -30, 150)

    def up(decibels):
        return bottom - (min(max(decibels, low), high) - low) / (high - low) * (bottom - top)

    def across(line):
        return left + line / 1024 * (right - left)

    for decibels in range(0, 151, 30):
        drawing.line("grid", (left, up(decibels)), (right, up(decibels)))
        drawing.text(left - 8, up(decibels) + 4, f"{decibels} dB", "small end")
    for kind, is_sent in (("a", False), ("b", True)):
        drawing.path(kind, "".join(
            f"M{across(n + 0.5):.1f} {bottom}V{up(level[n]):.1f}" for n in range(1024)
            if bool(packet.lines[n]) == is_sent), ' style="stroke-width: 0.9"')
    for band, scalefactor in enumerate(packet.scalefactors):
        (first, last) = (packet.bands[band], packet.bands[band + 1])
        if scalefactor is not None:
            y = up(20 * numpy.log10(2) * (scalefactor - 100) / 4)
            drawing.line("c", (across(first), y), (across(last), y))
    drawing.path("a", "".join(f"M{across(edge):.1f} {bottom + 2}v5" for edge in packet.bands), ' style="stroke-width: 1"')
    marks(drawing, bottom + 6, [(across(line), f"{line * RATE / 2048 / 1000:.0f} kHz" if line else "0")
                                   for line in (0, 93, 186, 279, 464, 697, 929)])
    for x, kind, label in ((left, "b", "lines that are sent"), (250, "a", "lines that become 0"),
                           (440, "c", "a step of each band")):
        drawing.text(x + 8, 20, label, kind)
    drawing.text(right, bottom + 40, "below the axis: where bands begin", "small end")
    return drawing


def draw_bits(files):
    packet = files.packet(PACKET)
    total = sum(packet.parts.values())
    drawing = Drawing(
        f"The {total} bits of packet {PACKET}",
        ", ".join(f"{name}: {count} bits" for name, count in packet.parts.items()), 172)
    kinds = {"element": "none", "window": "new", "sections": "plain", "scalefactors": "keep", "tools": "new", "lines": "bad",
             "fill": "none"}
    names = {"element": "element, end", "window": "gain, window", "sections": "which book",
             "scalefactors": "scalefactors", "tools": "tools", "lines": "lines, as Huffman words", "fill": "filling"}
    (left, right, x) = (20, 740, 20)
    for number, (name, count) in enumerate(packet.parts.items()):
        width = count / total * (right - left)
        drawing.box(x, 44, width, 40, kinds[name], f"{names[name]}: {count} bits" if width > 300 else "", 0)
        if width > 60 and width <= 300:
            drawing.text(x + width / 2, 34, f"{names[name]}: {count}", "mid")
        x += width
    # The narrow parts, drawn wider.
    narrow = [(name, count) for name, count in packet.parts.items() if count / total * (right - left) <= 60]
    x = left
    drawing.text(left, 120, "the narrow parts, twice as wide:", "small")
    for name, count in narrow:
        width = max(2 * count / total * (right - left), 8)
        drawing.box(x, 130, width, 26, kinds[name], "", 0)
        drawing.text(x + width + 6, 148, f"{names[name]}: {count}")
        x += width + 22 + drawing.width(f"{names[name]}: {count}")
    return drawing
