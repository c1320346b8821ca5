"""What ./dev installs: only what is missing, never in place of something else."""

import os
import re
import subprocess

import pytest

from house import ROOT, files, text

APT_GET = r"""#!/bin/bash
echo "$@" >>"$CALLS"
case "$*" in
  *" -s "*)
    for package in "$@"; do
      case $package in
        replaces-driver) echo "Inst nvidia-driver [535] (550 Debian [amd64])" ;;
        removes-engine) echo "E: Packages need to be removed but remove is disabled."; exit 100 ;;
        removes-silently) echo "Remv docker-ce [26]" ;;
        updates-library) echo "Inst libc6 [2.36-1] (2.36-2 Debian [amd64])" ;;
      esac
      echo "Inst $package (1.0 Debian [amd64])"
    done ;;
esac
"""
APT_CACHE = """#!/bin/bash
case $2 in
  unknown-*) exit 0 ;;
  *) printf '%s:\\n  Installed: (none)\\n  Candidate: 1.0\\n' "$2" ;;
esac
"""
DPKG_QUERY = """#!/bin/bash
case ${!#} in present-*) printf installed ;; *) exit 1 ;; esac
"""


@pytest.fixture
def install(tmp_path):
    """Runs install_packages on a list of its own, with an apt that only notes what it was asked for."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name, script in {"apt-get": APT_GET, "apt-cache": APT_CACHE, "dpkg-query": DPKG_QUERY}.items():
        (tools / name).write_text(script)
        (tools / name).chmod(0o755)
    (tmp_path / "tools").mkdir()
    calls = tmp_path / "calls"
    calls.touch()

    def run(packages: str, *groups: str, commands: tuple = (), **env: str):
        (tmp_path / "tools" / "packages.txt").write_text(packages)
        for command in commands:
            (tools / command).write_text("#!/bin/sh\n")
            (tools / command).chmod(0o755)
        script = ('set -euo pipefail; say() { echo "$*" >&2; }; die() { say "$*"; exit 1; }; '
                  f'source {ROOT}/tools/deps.sh; install_packages "$@"')
        done = subprocess.run(["bash", "-c", script, "bash", *groups], cwd=tmp_path, capture_output=True, text=True,
                              env=os.environ | {"PATH": f"{tools}:/usr/bin:/bin", "CALLS": str(calls),
                                                "AF_APT_LISTS": str(tmp_path)} | env,
                              check=False)
        installed = [line.split() for line in calls.read_text().splitlines() if line.startswith("install -y")]
        names = [word for line in installed for word in line if re.fullmatch(r"[a-z][\w.-]*", word)
                 and word != "install"]
        return done, names, calls.read_text()

    return run


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="installing is refused without root")


@needs_root
def test_installs_what_is_missing_of_the_groups_asked_for(install):
    _, names, calls = install("[a]\nmissing # why\npresent-one\n[b]\nother\n", "a")
    assert names == ["missing"]
    assert "update" not in calls


@needs_root
def test_every_install_removes_nothing(install):
    _, _, calls = install("[a]\nmissing\n", "a")
    lines = [line for line in calls.splitlines() if line.startswith("install")]
    assert lines
    assert all("--no-remove" in line and "--no-install-recommends" in line for line in lines)


@needs_root
def test_takes_the_first_alternative_that_there_is(install):
    _, names, _ = install("[a]\nunknown-19|tool-18\n", "a")
    assert names == ["tool-18"]


@needs_root
def test_an_alternative_that_is_installed_is_enough(install):
    _, names, calls = install("[a]\ntool-19|present-18\n", "a")
    assert names == []
    assert calls == ""


@needs_root
def test_leaves_an_engine_alone_whoever_brought_it(install):
    _, names, _ = install("[a]\nsome-engine unless=some-daemon # why\nmissing\n", "a", commands=("some-daemon",))
    assert names == ["missing"]


@needs_root
@pytest.mark.parametrize("package", ["replaces-driver", "removes-engine", "removes-silently"])
def test_leaves_out_what_would_replace_or_remove_something(install, package):
    done, names, _ = install(f"[a]\n{package}\nmissing\n", "a")
    assert names == ["missing"]
    assert f"not installing {package}" in done.stderr


@needs_root
def test_an_update_that_a_package_needs_is_allowed(install):
    _, names, _ = install("[a]\nupdates-library\n", "a")
    assert names == ["updates-library"]


@needs_root
def test_reads_the_lists_anew_only_for_what_they_do_not_know(install):
    done, names, calls = install("[a]\nunknown-tool\nmissing\n", "a")
    assert "update" in calls
    assert names == ["missing"]
    assert "has no unknown-tool" in done.stderr


@needs_root
def test_lists_that_were_just_read_are_not_read_again(install, tmp_path):
    (tmp_path / "mirror_Packages.lz4").touch()
    _, names, calls = install("[a]\nunknown-tool\nmissing\n", "a")
    assert "update" not in calls
    assert names == ["missing"]


def test_a_dry_run_installs_nothing(install):
    done, names, calls = install("[a]\nmissing\n", "a", AF_DRY_RUN="yes")
    assert done.returncode == 0
    assert "would install: missing" in done.stderr
    assert (names, calls) == ([], "")


def test_the_list_names_known_groups_and_gives_reasons():
    groups = re.findall(r"^\[(\w+)\]", text("tools/packages.txt"), re.MULTILINE)
    assert groups == ["build", "arm64", "test", "bench"]
    for line in text("tools/packages.txt").splitlines():
        if line and line[0] not in "#[":
            assert re.fullmatch(r"\S+(\s+unless=\S+)?(\s+#.+)?", line), line


def test_nothing_in_the_checkout_removes_packages():
    words = re.compile(r"(apt|apt-get|dpkg)\b[^\n]*\s(remove|purge|autoremove|--allow-remove\S*|-r|-P)\b")
    scripts = [p for p in files() if p.suffix in (".sh", ".py", "") and p.parts[:2] != ("e2e", "house")]
    assert [f"{p}: {m.group(0)}" for p in scripts for m in words.finditer(text(p))] == []


def test_packages_are_installed_in_one_place_only():
    places = [str(p) for p in files() if p.suffix in (".sh", ".py", "") and p.parts[:2] != ("e2e", "house")
              and re.search(r"^[^#\"\n]*apt(-get)? install\b", text(p), re.MULTILINE)]
    assert places == ["tools/deps.sh"]
