"""The pictures of the lessons about files: boxes, tables, time lines. For draw-lessons."""
import numpy

import packet_bits
from picture import Command, Drawing


class Files(Command):
    """What the snippets of the lessons left in a folder."""

    def __init__(self, command, folder):
        super().__init__(command)
        self.folder = folder

    def sound(self, name):
        data = self.run("decode", self.folder / name, "-", "--format", "f32", "--no-header")
        return numpy.frombuffer(data, numpy.float32)

    def packets(self, name):
        return self.lines("packets", self.folder / name)

    def boxes(self, name):
        return self.lines("boxes", self.folder / name)

    def packet(self, number):
        """A packet of bird.m4a, read to its last bit."""
        record = self.packets("bird.m4a")[number]
        data = (self.folder / "bird.m4a").read_bytes()
        return packet_bits.Packet(data[record["offset"]:record["offset"] + record["size"]])


NOTES = {
    "ftyp": "which rules the file follows", "moov": "the index", "mvhd": "timescale and duration of the movie",
    "trak": "a track", "tkhd": "its number", "elst": "the edit list: what is heard, and when",
    "mdhd": "the track's timescale", "hdlr": "sound, pictures or text", "stsd": "how samples are coded",
    "stts": "how long each lasts", "stsc": "how many are in a chunk", "stsz": "how large each is",
    "stco": "where chunks begin", "mdat": "the packets, one behind the other", "udta": "tags",
}


def draw_boxes(files):
    shown = [box for box in files.boxes("bird.m4a")
             if box["type"] in NOTES or box["type"] in ("edts", "mdia", "minf", "stbl")]
    shown = [box for box in shown if not (box["type"] == "hdlr" and box["path"].startswith("moov/udta"))]
    drawing = Drawing(
        "The boxes of bird.m4a", "A tree: ftyp, moov with the index of its one track, and mdat with the packets.",
        30 + 21 * len(shown))
    drawing.text(250, 18, "bytes", "small end")
    for number, box in enumerate(shown):
        y = 26 + 21 * number
        depth = box["path"].count("/")
        kind = {"moov": "keep", "mdat": "bad", "ftyp": "none"}.get(box["path"].split("/")[0], "plain")
        drawing.box(16 + 22 * depth, y, 52, 18, kind if depth == 0 else "plain", "", 3)
        drawing.text(42 + 22 * depth, y + 13.5, box["type"], "mid")
        if depth:
            drawing.line("grid", (16 + 22 * depth - 10, y + 9), (16 + 22 * depth - 1, y + 9))
        drawing.text(250, y + 13.5, f"{box['size']}", "end")
        drawing.box(262, y + 4, max(box["size"] / 23327 * 220, 1.5), 10, kind if depth == 0 else "plain", "", 0)
        drawing.text(500, y + 13.5, NOTES.get(box["type"], ""), "small")
    return drawing


def draw_edit(files):
    packets = files.packets("bird.m4a")
    last = packets[-1]
    drawing = Drawing(
        "What is heard of the packets",
        "The first packet is priming and is skipped; the last one lasts 204 ticks of its 1024. The edit list names what is "
        "between: 132300 ticks from tick 1024 on.", 200)
    (left, width) = (70, 92)
    places = [0, 1, 2, None, len(packets) - 2, len(packets) - 1]
    drawing.text(10, 74, "packets")
    for column, number in enumerate(places):
        x = left + width * column
        if number is None:
            drawing.text(x + width / 2, 74, "…", "mid")
            continue
        drawing.box(x, 52, width, 34, "hidden" if number == 0 else "plain", number, 0)
        drawing.text(x + 2, 46, packets[number]["dts"], "small")
    x = left + width * 5
    cut = x + width * last["duration"] / 1024
    drawing.box(cut, 52, x + width - cut, 34, "hidden", "", 0)
    drawing.text(cut + 4, 100, last["dts"] + last["duration"], "small")
    drawing.line("c", (left + width, 50), (left + width, 150))
    drawing.line("c", (cut, 50), (cut, 150))
    drawing.box(left + width, 118, cut - left - width, 26, "keep", "heard: 132300 ticks", 0)
    drawing.text(10, 135, "edit list")
    drawing.text(left + width / 2, 178, "priming", "mid")
    drawing.text(left + width / 2, 192, "1024 ticks", "small mid")
    drawing.text((cut + x + width) / 2 + 12, 178, "remainder", "mid")
    drawing.text((cut + x + width) / 2 + 12, 192, "820 ticks", "small mid")
    drawing.arrow((left + width / 2, 164), (left + width / 2, 90))
    drawing.arrow((x + width - 12, 164), (x + width - 12, 90))
    return drawing


def draw_tables(files):
    packets = files.packets("bird.m4a")
    number = 26
    drawing = Drawing(
        "From the tables to a sample",
        "stts gives the time of sample 26, stsc its chunk, stco where the chunk begins, and the sizes of the samples before "
        "it in stsz how far behind.", 280)
    rows = (
        ("stts", "130 × 1024, 1 × 204", f"26 × 1024 = tick {number * 1024}"),
        ("stsc", "131 in chunk 1", "chunk 1, the 27th in it"),
        ("stco", f"{packets[0]['offset']}", f"chunk 1 begins at byte {packets[0]['offset']}"),
        ("stsz", " ".join(str(packet["size"]) for packet in packets[:6]) + " …",
         f"26 sizes: {packets[number]['offset'] - packets[0]['offset']} bytes further"),
    )
    for row, (name, content, meaning) in enumerate(rows):
        y = 16 + 40 * row
        drawing.box(20, y, 60, 28, "keep", name, 4)
        drawing.box(80, y, 230, 28, "plain", content, 4)
        drawing.arrow((314, y + 14), (350, y + 14))
        drawing.text(360, y + 18.5, meaning)
    (left, right) = (20, 740)
    shown = packets[20:32]
    scale = (right - left - 60) / sum(packet["size"] for packet in shown)
    x = left + 30
    drawing.text(left, 220, "…")
    drawing.text(right - 12, 220, "…")
    for place, packet in enumerate(shown, 20):
        width = packet["size"] * scale
        drawing.box(x, 202, width, 30, "bad" if place == number else "none", place, 0)
        if place == number:
            drawing.arrow((600, 150), (690, 150), (690, 186), (x + width / 2, 186), (x + width / 2, 199))
            drawing.text(x, 250, f"byte {packet['offset']}", "small")
            drawing.text(x, 266, f"{packet['size']} bytes", "small")
        x += width
    drawing.text(left, 266, "mdat", "")
    return drawing


def draw_cut(files):
    (all_packets, kept) = (files.packets("bird.m4a"), files.packets("trill.m4a"))
    drawing = Drawing(
        "A cut from 1 s to 2 s",
        "Packets 43 to 87 are kept: one more in front, for the decoder to warm up with. The edit list hides it and the rest "
        "of its neighbour.", 184)
    (left, right) = (80, 740)
    scale = (right - left) / len(all_packets)
    drawing.text(10, 44, "bird.m4a")
    for number in range(len(all_packets)):
        kind = "keep" if 43 <= number < 43 + len(kept) else "none"
        drawing.box(left + number * scale, 28, scale, 26, kind, "", 0)
    for number in (43, 43 + len(kept)):
        drawing.line("c", (left + number * scale, 22), (left + number * scale, 62))
    drawing.text(left + (43 + len(kept) / 2) * scale, 18, f"packets 43 to {42 + len(kept)}", "small mid")
    # The first packets of the cut, large.
    (begin, width) = (left, 150)
    drawing.line("grid", (left + 43 * scale, 62), (begin, 110))
    drawing.line("grid", (left + 47.4 * scale, 62), (begin + 4.4 * width, 110))
    drawing.text(10, 130, "trill.m4a")
    for number in range(4):
        drawing.box(begin + number * width, 110, width, 32, "hidden" if number == 0 else "keep", 43 + number, 0)
    drawing.text(begin + 4 * width + 20, 130, "…")
    start = begin + 1092 / 1024 * width
    drawing.box(begin + width, 110, start - begin - width, 32, "hidden", "", 0)
    drawing.line("c", (start, 100), (start, 172))
    drawing.text(start + 6, 168, "tick 1092: the edit begins here, which was 1 s", "c")
    drawing.text(begin, 168, "decoded, not heard", "small")
    return drawing


def draw_index(files):
    drawing = Drawing(
        "What a file without its index still tells",
        "Each packet, read to its end, says where the next one begins; a wrong start soon leads to nonsense.", 180)
    packets = files.packets("last.m4a")[20:31]
    (left, right) = (110, 700)
    scale = (right - left) / sum(packet["size"] for packet in packets)
    drawing.text(10, 60, "broken.m4a")
    drawing.box(left, 40, right - left, 32, "none", "", 0)
    drawing.text((left + right) / 2, 60, "mdat: bytes, and nothing that says where packets begin", "mid")
    drawing.box(right + 4, 40, 46, 32, "gone", "moov", 0)
    drawing.text(10, 130, "read")
    x = left
    for number, packet in enumerate(packets, 20):
        width = packet["size"] * scale
        drawing.box(x, 110, width, 32, "keep", number, 0)
        drawing.arrow((x + 4, 108), (x + width / 2, 90), (x + width, 108))
        x += width
    drawing.text(left, 166, "each ends where its own bits say: after the element “end”, and there the next one begins", "small")
    return drawing
