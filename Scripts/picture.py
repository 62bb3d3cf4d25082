"""What the scripts that draw have in common: SVG that follows a light or dark theme, and runs of the command."""
import json
import pathlib
import re
import subprocess
import sys

STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .small { font-size: 11px; fill: #57606a } .mid { text-anchor: middle } .end { text-anchor: end }
  .grid { stroke: #d0d7de; stroke-width: 1 } path { fill: none; stroke-width: 1.6; stroke-linejoin: round }
  .a { stroke: #8c959f } .b { stroke: #0969da } .c { stroke: #cf222e } .d { stroke: #1a7f37 }
  text.a, text.b, text.c, text.d { stroke: none }
  text.a { fill: #57606a } text.b { fill: #0969da } text.c { fill: #cf222e } text.d { fill: #1a7f37 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .small, text.a { fill: #9198a1 } .grid { stroke: #3d444d }
    .a { stroke: #9198a1 } .b { stroke: #58a6ff } .c { stroke: #ff7b72 } .d { stroke: #3fb950 }
    text.b { fill: #58a6ff } text.c { fill: #ff7b72 } text.d { fill: #3fb950 }
  }
"""
# Areas, for drawings of things; diagrams of numbers do without.
AREAS = """
  rect { stroke: #57606a; stroke-width: 1 } .bold { font-weight: 600 } .code { font-family: ui-monospace, monospace }
  .plain { fill: #ddf4ff } .keep { fill: #b6e3c6 } .new { fill: #ffd8a8 } .bad { fill: #ffc9c9 } .none { fill: #eaeef2 }
  .hidden { fill: url(#hatch) } .gone { fill: none; stroke-dasharray: 4 3 } .bare { stroke: none }
  .wave { fill: #0969da; stroke: none } .loss { fill: #cf222e; stroke: none; opacity: .25 }
  .arrow { stroke: #57606a; fill: none; stroke-width: 1.3; marker-end: url(#tip) } .dot { fill: #0969da; stroke: none }
  .heat { fill: #0969da; stroke: none }
  @media (prefers-color-scheme: dark) {
    rect { stroke: #9198a1 } .plain { fill: #1f4a6f } .keep { fill: #1f6f43 } .new { fill: #8a5212 } .bad { fill: #8b2c2c }
    .none { fill: #2d333b } .wave, .dot, .heat { fill: #58a6ff } .loss { fill: #ff7b72 } .arrow { stroke: #9198a1 }
  }
"""
DEFINITIONS = """<defs>
  <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <rect width="6" height="6" style="fill: #8c959f; opacity: .25; stroke: none"/>
    <line x1="0" y1="0" x2="0" y2="6" style="stroke: #8c959f; stroke-width: 3"/>
  </pattern>
  <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
    <path d="M0 0 L8 4 L0 8 z" style="fill: #8c959f; stroke: none"/>
  </marker>
</defs>
"""


class Drawing:
    """Rectangles, lines and text, 760 wide. A kind is a class of the style, or several."""

    # Labels in another language, by those in English; # stands for a number.
    words = {}

    def __init__(self, title, description, height):
        # The page tells the story in its own language; the title is enough here.
        self.head = (self.translated(title), "" if self.words else description)
        (self.height, self.parts) = (height, [])
        (self.style, self.definitions) = (STYLE + AREAS, DEFINITIONS)

    def translated(self, label):
        number = r"\d+(?:\.\d+)?"
        numbers = iter(re.findall(number, label))
        words = self.words.get(re.sub(number, "#", label))
        return re.sub("#", lambda _: next(numbers), words) if words else label

    def width(self, label):
        """How wide a text is, about."""
        return sum(13 if letter > "\u2e7f" else 6.8 for letter in self.translated(label))

    def text(self, x, y, label, kind=""):
        name = f' class="{kind}"' if kind else ""
        label = self.translated(str(label)).replace("&", "&amp;").replace("<", "&lt;")
        self.parts.append(f'<text{name} x="{x:.1f}" y="{y:.1f}">{label}</text>')

    def box(self, x, y, width, height, kind, label="", radius=2):
        self.parts.append(
            f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{radius}"/>')
        if label != "":
            self.text(x + width / 2, y + height / 2 + 4.5, label, "mid")

    def line(self, kind, *points):
        path = " ".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self.parts.append(f'<path class="{kind}" d="M{path}"/>')

    def arrow(self, *points):
        self.line("arrow", *points)

    def dot(self, x, y, radius=3, kind="dot"):
        self.parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius}"/>')

    def path(self, kind, data, extra=""):
        self.parts.append(f'<path class="{kind}" d="{data}"{extra}/>')

    def write(self, path):
        (title, description) = self.head
        path.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {self.height}" width="760" '
            f'height="{self.height}" role="img">\n'
            f"<title>{title}</title>\n" + (f"<desc>{description}</desc>\n" if description else "")
            + f"<style>{self.style}</style>\n{self.definitions}"
            + "\n".join(self.parts) + "\n</svg>\n")


class Command:
    """Runs lyrebird, and ends with its message where that fails."""

    def __init__(self, command):
        self.command = pathlib.Path(command).resolve()

    def run(self, *words):
        result = subprocess.run([str(word) for word in (self.command, *words)], capture_output=True)
        if result.returncode != 0:
            sys.exit(f"{words}: {result.stderr.decode()}")
        return result.stdout

    def lines(self, *words):
        return [json.loads(line) for line in self.run(*words, "--json").splitlines()]
