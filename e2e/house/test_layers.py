"""ARCHITECTURE.md's table of allowed includes, CMake and the code say the same."""

import json
import os
import re
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from house import ROOT, files, text, without_comments

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)


def table() -> dict[str, set[str]]:
    """The rows between the markers in ARCHITECTURE.md."""
    found = re.search(r"<!-- layers -->(.*?)<!-- /layers -->", text("ARCHITECTURE.md"), re.DOTALL)
    assert found, "ARCHITECTURE.md has no <!-- layers --> table"
    rows = {}
    for line in found.group(1).splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) != 2 or cells[0] in ("", "folder") or set(cells[0]) <= set("-: "):
            continue
        rows[cells[0].strip("`")] = {name.strip(" `") for name in cells[1].split(",") if name.strip(" `")}
    return rows


def declared() -> dict[str, tuple[str, set[str]]]:
    """Folder name -> (where it lies, what CMake lets it include)."""
    found = {}
    for path in files(".txt"):
        if path.name != "CMakeLists.txt":
            continue
        for call in re.finditer(r"af_(?:folder|tool)\(([^)]*)\)", text(path)):
            words = call.group(1).split()
            name = words[words.index("NAME") + 1]
            depends = set()
            if "DEPENDS" in words:
                for word in words[words.index("DEPENDS") + 1:]:
                    if word.isupper():
                        break
                    depends.add(word)
            found[name] = (str(path.parent), depends)
    return found


@pytest.fixture(scope="session")
def commands(tmp_path_factory) -> dict[str, list[str]]:
    """Source -> compile command, of a fresh configuration that has programs, tests and benchmarks."""
    build = tmp_path_factory.mktemp("configured")
    subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"],
                   check=True, capture_output=True)
    entries = json.loads((build / "compile_commands.json").read_text())
    found = {}
    for entry in entries:  # of the targets that compile a source, its folder's own library first
        source = os.path.relpath(os.path.realpath(entry["file"]), ROOT)
        if source not in found or "/af_" in entry["command"]:
            found[source] = shlex.split(entry["command"])
    return found


def checker(command: list[str]) -> list[str]:
    """The command without its source and outputs: it only checks what it reads from standard input."""
    words = []
    skip = False
    for word in command[command.index(next(w for w in command if w.endswith("++"))):]:
        if skip:
            skip = False
        elif word in ("-o", "-MT", "-MF", "-c"):
            skip = True
        elif word != "-MD":
            words.append(word)
    return [*words, "-fsyntax-only", "-x", "c++", "-"]


def compiles(command: list[str], code: str) -> tuple[bool, str]:
    done = subprocess.run(checker(command), input=code, capture_output=True, text=True, check=False)
    return done.returncode == 0, done.stderr


def test_architecture_table_equals_cmake():
    assert table() == {name: depends for name, (_, depends) in declared().items()}


def test_every_folder_of_src_is_in_the_table():
    folders = {path.parts[1] for path in files(".cc", ".h", under="src")}
    assert folders <= set(table())


def test_includes_keep_to_the_table():
    allowed = table()
    wrong = []
    for name, (folder, _) in declared().items():
        for path in files(".cc", ".h", under=folder):
            for include in INCLUDE.findall(without_comments(text(path))):
                target = include.split("/")[0]
                if "/" not in include or ".." in include or target not in allowed[name] | {name}:
                    wrong.append(f"{path}: {include}")
    assert wrong == []


def test_a_wrong_include_does_not_compile(commands):
    ok, why = compiles(commands["src/core/text.cc"], '#include "core/text.h"\n')
    assert ok, why
    headers = {name: next((p for p in files(".h", under=folder)), None) for name, (folder, _) in declared().items()}
    for source, (name, _) in {next(str(p) for p in files(".cc", under=folder) if p.name != "main.cc"): (name, folder)
                              for name, (folder, _) in declared().items() if files(".cc", under=folder)}.items():
        for other in set(headers) - table()[name] - {name}:
            if headers[other] is None:
                continue
            ok, _ = compiles(commands[source], f'#include "{other}/{headers[other].name}"\n')
            assert not ok, f"{name} can include {headers[other]}"


def test_every_source_belongs_to_a_target(commands):
    ours = {str(path) for folder in ("src", "tools", "fuzz", "bench") for path in files(".cc", under=folder)}
    assert ours - set(commands) == set()


def test_every_header_compiles_alone(commands):
    by_folder = {}
    for source, command in commands.items():
        if source.endswith("_test.cc"):  # sees what tests see: fakes may use GoogleTest
            by_folder[os.path.dirname(source).removesuffix("/fake")] = command
        else:
            by_folder.setdefault(os.path.dirname(source), command)
    headers = [(path, name) for name, (folder, _) in declared().items() for path in files(".h", under=folder)
               if files(".cc", under=folder)]  # a folder of faces alone has no compiler flags yet

    def check(header) -> str:
        path, name = header
        folder = declared()[name][0]
        inside = path.relative_to(folder)
        ok, why = compiles(by_folder[folder], f'#include "{name}/{inside}"\n')
        return "" if ok else f"{path}:\n{why[:600]}"

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        assert [why for why in pool.map(check, headers) if why] == []


def test_every_header_has_its_guard():
    headers = [path for folder in ("src", "tools") for path in files(".h", under=folder)]
    assert headers
    assert [str(path) for path in headers if "#pragma once" not in text(path)] == []
