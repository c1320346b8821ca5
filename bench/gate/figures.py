"""What was measured, what it has to be, and how both are shown."""

import math
from dataclasses import dataclass, field


class CannotMeasure(Exception):
    """A program is missing or a server did not come up: there is no figure. The only reason for an exit code other than 0."""


def median(values: list[float]) -> float:
    return percentile(values, 50)


def percentile(values: list[float], percent: float) -> float:
    """Nearest rank: a value that was really measured."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


@dataclass
class Row:
    """One figure for antifreeze-run and its peers. `target` is the highest allowed value of ours."""

    what: str
    unit: str
    ours: float
    peers: dict[str, float] = field(default_factory=dict)
    target: float | None = None
    digits: int = 2

    def text(self, value: float | None) -> str:
        return "" if value is None else f"{value:.{self.digits}f}"

    def met(self) -> bool:
        return self.target is None or self.ours <= self.target

    def verdict(self) -> str:
        if self.target is None:
            return ""
        return f"<= {self.target:g}: " + ("met" if self.met() else "MISSED")

    def ratios(self) -> str:
        """How many times a peer's figure ours is; both as measured in this run."""
        def times(ratio: float) -> str:
            return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2g}"
        parts = [f"{times(self.ours / value)}x {name}" for name, value in self.peers.items() if value > 0 and self.ours > 0]
        return ", ".join(parts)


SHELL_1S, SHELL_2S = "shell 1 s", "shell 2 s"
TINI, DUMB_INIT = "tini", "dumb-init"
PEERS = [SHELL_1S, SHELL_2S, TINI, DUMB_INIT]


def cells(rows: list[Row]) -> list[list[str]]:
    head = ["", "unit", "antifreeze-run", *PEERS, "ours is", "target"]
    body = [[row.what, row.unit, row.text(row.ours), *(row.text(row.peers.get(peer)) for peer in PEERS), row.ratios(),
             row.verdict()] for row in rows]
    return [head, *body]


def as_text(rows: list[Row]) -> str:
    """For the terminal: one block a figure, so that it fits into 80 columns."""
    lines = []
    for row in rows:
        lines.append(f"{row.what}")
        shown = [f"antifreeze-run {row.text(row.ours)}", *(f"{name} {row.text(value)}" for name, value in row.peers.items())]
        lines.append(f"    {row.unit}: " + " · ".join(shown))
        if row.verdict():
            lines.append(f"    target {row.verdict()}")
    return "\n".join(lines)


def as_markdown(rows: list[Row]) -> str:
    table = cells(rows)
    lines = ["| " + " | ".join(line) + " |" for line in table]
    lines.insert(1, "|" + " --- |" * len(table[0]))
    return "\n".join(lines)
