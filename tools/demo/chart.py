"""Two rounds side by side as a chart: one row a server, the same time scale on both sides. Pure."""

from dataclasses import dataclass

WAITING, STARTING, SETTLING, SERVING, SHORT, FAILED = "waiting", "starting", "settling", "serving", "short", "failed"

# mark: (unicode, ascii, SGR colour, meaning). The same signs as in `antifreeze gate log --chart`.
MARKS = {
    WAITING: ("·", ".", "2", "waits its turn"),
    STARTING: ("▒", "S", "33", "starts, sizes its memory"),
    SETTLING: ("▓", "+", "36", "settles"),
    SERVING: ("█", "#", "32", "serves"),
    SHORT: ("▄", "-", "35", "serves, cache too small"),
    FAILED: ("x", "x", "31;1", "failed"),
}
NAME_WIDTH = 10
PANEL = 34  # 80 columns: a name, two panels, a gap
STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)


@dataclass
class Style:
    colour: bool = False
    unicode: bool = True

    def paint(self, mark: str) -> str:
        sign = MARKS[mark][0 if self.unicode else 1]
        return f"\x1b[{MARKS[mark][2]}m{sign}\x1b[0m" if self.colour else sign

    def strong(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self.colour else text


def cells(spans: list[tuple[float, float, str]], per_cell: float, columns: int) -> list[str | None]:
    """The mark that fills most of each column, None for none. A failure is a moment, and always shown."""
    chosen: list[str | None] = [None] * columns
    most = [0.0] * columns
    for begin, end, mark in spans:
        if mark == FAILED:
            continue
        for column in range(columns):
            filled = min(end, (column + 1) * per_cell) - max(begin, column * per_cell)
            if filled > most[column]:
                chosen[column], most[column] = mark, filled
    for begin, _, mark in spans:
        if mark == FAILED:
            at = min(int(begin / per_cell), columns - 1)
            chosen[at:] = [mark, *[None] * (columns - at - 1)]
    return chosen


def axis(per_cell: float, columns: int) -> str:
    step = next((step for step in STEPS if step / per_cell >= 7), STEPS[-1])
    line, at = "", 0.0
    while True:
        text = "|" + (f"{at:g} s" if at else "0")
        column = round(at / per_cell)
        if column + len(text) > columns:
            return line.ljust(columns)
        line = line.ljust(column) + text
        at += step


def legend(style: Style, used: set[str]) -> list[str]:
    """What the signs mean: only those that the chart has, in lines of 80 columns."""
    lines, width = [""], 0
    for mark, (_, _, _, meaning) in MARKS.items():
        if mark not in used:
            continue
        length = len(meaning) + 2 + (3 if width else 0)
        if width + length > 80:
            lines.append("")
            width, length = 0, len(meaning) + 2
        lines[-1] += ("   " if width else "") + style.paint(mark) + " " + meaning
        width += length
    return lines


def draw(names: list[str], left: dict, right: dict, titles: tuple[str, str], seconds: float, style: Style) -> list[str]:
    """`left` and `right`: spans by name. `seconds`: what both panels show, from 0 on."""
    per_cell = max(seconds, 0.1) / PANEL
    margin = " " * NAME_WIDTH
    lines = [margin + style.strong(titles[0].ljust(PANEL + 1)) + style.strong(titles[1]),
             margin + axis(per_cell, PANEL) + " " + axis(per_cell, PANEL).rstrip()]
    used: set[str] = set()
    for name in names:
        row = name[:NAME_WIDTH - 1].ljust(NAME_WIDTH)
        for spans in (left[name], right[name]):
            marks = cells(spans, per_cell, PANEL)
            used |= {mark for mark in marks if mark}
            row += "".join(style.paint(mark) if mark else " " for mark in marks) + " "
        lines.append(row.rstrip())
    return [*lines, "", *legend(style, used)]
