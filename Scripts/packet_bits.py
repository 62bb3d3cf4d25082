"""Reads a packet of AAC-LC with one channel, and says what each of its bits is for: for draw-lessons.

The Huffman books and the bands are taken from Sources/AAC/Tables, so that there is only one copy of them.
Source: ISO/IEC 14496-3, 4.4.2.
"""
import pathlib
import re

TABLES = pathlib.Path(__file__).resolve().parent.parent / "Sources/AAC/Tables"
(SINGLE, DATA, FILL, END) = (0, 4, 6, 7)
(EIGHT_SHORT, NOISE, ESCAPE) = (2, 13, 11)
# Of each spectral book: lines in a code word, whether signs are part of it, the largest magnitude.
BOOKS = {1: (4, True, 1), 2: (4, True, 1), 3: (4, False, 2), 4: (4, False, 2), 5: (2, True, 4), 6: (2, True, 4),
         7: (2, False, 7), 8: (2, False, 7), 9: (2, False, 12), 10: (2, False, 12), 11: (2, False, 16)}


def swift_array(file, name):
    text = (TABLES / file).read_text()
    body = re.search(rf"static let {name}: \[\w+\] = \[(.*?)\]", text, re.S)[1]
    return [int(number) for number in re.findall(r"\d+", body)]


def book(name):
    """Index by (length, code word)."""
    lengths = swift_array("HuffmanCodes.swift", f"{name}Lengths")
    codes = swift_array("HuffmanCodes.swift", f"{name}Codes")
    return {key: index for index, key in enumerate(zip(lengths, codes))}


class Packet:
    """What a packet says: `parts` has the bits of each part, `lines` the steps of each line."""

    def __init__(self, data):
        (self.data, self.position) = (data, 0)
        (self.parts, self.lines) = ({}, [0] * 1024)
        self.bands = swift_array("ScalefactorBandOffsets.swift", "of1024at48")
        self.read()

    def bits(self, count):
        value = 0
        for _ in range(count):
            value = value << 1 | self.data[self.position >> 3] >> (7 - self.position & 7) & 1
            self.position += 1
        return value

    def word(self, codes):
        (length, value) = (0, 0)
        while (length, value) not in codes:
            (length, value) = (length + 1, value << 1 | self.bits(1))
        return codes[length, value]

    def part(self, name, read):
        begin = self.position
        result = read()
        self.parts[name] = self.parts.get(name, 0) + self.position - begin
        return result

    def read(self):
        while True:
            kind = self.part("element", lambda: self.bits(3))
            if kind == END:
                self.parts["element"] += -self.position % 8
                break
            if kind == SINGLE:
                self.read_channel()
            elif kind == FILL:
                self.part("fill", self.read_fill)
            else:
                raise ValueError(f"element {kind} is not for one channel")
        assert (self.position + 7) // 8 == len(self.data), "the packet goes on"

    def read_fill(self):
        count = self.bits(4)
        self.bits(8 * (count + self.bits(8) - 1 if count == 15 else count))

    def read_channel(self):
        self.part("element", lambda: self.bits(4))
        self.gain = self.part("window", lambda: self.bits(8))
        self.part("window", self.read_window)
        self.part("sections", self.read_sections)
        self.part("scalefactors", self.read_scalefactors)
        self.part("tools", self.read_tools)
        self.part("lines", self.read_lines)

    def read_window(self):
        self.bits(1)
        if self.bits(2) == EIGHT_SHORT:
            raise ValueError("eight short windows")
        self.bits(1)
        self.coded = self.bits(6)
        self.bits(1)

    def read_sections(self):
        self.books = []
        while len(self.books) < self.coded:
            (number, length, piece) = (self.bits(4), 0, 31)
            while piece == 31:
                piece = self.bits(5)
                length += piece
            self.books += [number] * length

    def read_scalefactors(self):
        codes = book("scalefactor")
        (current, self.scalefactors) = (self.gain, [])
        is_first_noise = True
        for number in self.books:
            if number == 0:
                self.scalefactors.append(None)
            elif number == NOISE:
                self.bits(9) if is_first_noise else self.word(codes)
                is_first_noise = False
                self.scalefactors.append(None)
            else:
                current += self.word(codes) - 60
                self.scalefactors.append(current)

    def read_tools(self):
        if self.bits(1):
            count = self.bits(2) + 1
            self.bits(6 + 9 * count)
        if self.bits(1):
            filters = self.bits(2)
            resolution = self.bits(1) if filters else 0
            for _ in range(filters):
                self.bits(6)
                order = self.bits(5)
                if order:
                    self.bits(1)
                    compressed = self.bits(1)
                    self.bits(order * (3 + resolution - compressed))
        assert self.bits(1) == 0

    def read_lines(self):
        codes = {number: book(f"spectral{number}") for number in set(self.books) if number in BOOKS}
        for band, number in enumerate(self.books):
            if number not in BOOKS:
                continue
            (size, is_signed, largest) = BOOKS[number]
            for line in range(self.bands[band], self.bands[band + 1], size):
                self.lines[line:line + size] = self.read_word(codes[number], number, size, is_signed, largest)

    def read_word(self, codes, number, size, is_signed, largest):
        radix = 2 * largest + 1 if is_signed else largest + 1
        (index, values) = (self.word(codes), [])
        for _ in range(size):
            (index, digit) = divmod(index, radix)
            values.insert(0, digit - largest if is_signed else digit)
        if is_signed:
            return values
        signs = [self.bits(1) if value else 0 for value in values]
        for place, value in enumerate(values):
            if number == ESCAPE and value == 16:
                width = 4
                while self.bits(1):
                    width += 1
                values[place] = 1 << width | self.bits(width)
        return [-value if sign else value for value, sign in zip(values, signs)]
