"""What the house tests share: the files of the checkout, and C++ with its comments and strings blanked out."""

import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE = {".cc", ".h", ".py", ".sh", ".cmake", ".pml", ".yml"}
NOT_OURS = {"build", "dist", ".git", ".cache", "__pycache__", ".pytest_cache", "node_modules"}


def files(*suffixes: str, under: str = "") -> list[pathlib.Path]:
    """Files of the checkout with one of `suffixes` (all files without any), as paths below it."""
    found = []
    for folder, folders, names in os.walk(ROOT / under):
        folders[:] = sorted(name for name in folders if name not in NOT_OURS)
        for name in sorted(names):
            path = pathlib.Path(folder, name).relative_to(ROOT)
            if not suffixes or path.suffix in suffixes:
                found.append(path)
    return found


def text(path: pathlib.Path) -> str:
    return (ROOT / path).read_text(encoding="utf-8", errors="replace")


TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/'
    r'|R"(?P<mark>[^()\\ ]{0,16})\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'", re.DOTALL)


def _blank(keep_strings: bool):
    def replace(match: re.Match) -> str:
        token = match.group(0)
        if keep_strings and not token.startswith("/"):
            return token
        return re.sub(r"[^\n]", " ", token)  # line numbers stay
    return replace


def without_comments(source: str) -> str:
    return TOKEN.sub(_blank(keep_strings=True), source)


def bare(source: str) -> str:
    """Without comments and without what stands in strings."""
    return TOKEN.sub(_blank(keep_strings=False), source)


def line_of(source: str, at: int) -> int:
    return source.count("\n", 0, at) + 1


def block_from(source: str, at: int) -> str:
    """From the first '{' at or after `at` to the brace that closes it; `source` is bare."""
    begin = source.find("{", at)
    if begin < 0:
        return ""
    depth = 0
    for i in range(begin, len(source)):
        if source[i] == "{":
            depth += 1
        elif source[i] == "}":
            depth -= 1
            if depth == 0:
                return source[begin:i + 1]
    return source[begin:]
