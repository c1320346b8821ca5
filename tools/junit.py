"""Reads the JUnit files that ctest and pytest write."""

import pathlib
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field

# Where GoogleTest puts the reason of GTEST_SKIP into its output: the line after "file:LINE: Skipped".
GTEST_SKIP = re.compile(r"^\S+:\d+: Skipped\n(.*)$", re.MULTILINE)


@dataclass
class Counts:
    """Results of one report; `skipped` pairs each name with its reason, `seconds` each name with its duration."""

    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    seconds: list[tuple[str, float]] = field(default_factory=list)

    def total(self) -> int:
        return self.passed + len(self.failed) + len(self.skipped)


def read(path: pathlib.Path) -> Counts:
    """Counts of the report at `path`; none when there is no readable report."""
    counts = Counts()
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):
        return counts
    for case in root.iter("testcase"):
        name = case.get("name", "?")
        classname = case.get("classname", "")
        if classname and classname != name:
            name = f"{classname}::{name}"
        counts.seconds.append((name, float(case.get("time") or 0)))
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
            counts.failed.append(name)
        elif skipped is not None or case.get("status") in ("notrun", "disabled"):
            counts.skipped.append((name, skip_reason(case, skipped)))
        else:
            counts.passed += 1
    return counts


def skip_reason(case: ElementTree.Element, skipped: ElementTree.Element | None) -> str:
    told = GTEST_SKIP.search(case.findtext("system-out") or "")
    if told and told.group(1).strip():
        return told.group(1).strip()
    reason = skipped.get("message") if skipped is not None else None
    return reason or case.get("status") or "no reason given"
