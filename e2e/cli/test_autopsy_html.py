"""`autopsy --html`: a browser shows it, asks for nothing and has nothing to complain about."""

import base64
import hashlib
import html.parser
import lzma
import os
import pathlib
import re
import shutil
import stat
import subprocess

import browser
import pytest
from lib import proc

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASE = ROOT / "testdata" / "boots" / "xid79-then-cut"
URL = f"http://{browser.HOST}/page.html"
VOID = {"meta", "link", "br", "img", "hr", "input"}

needs_browser = pytest.mark.skipif(browser.BROWSER is None, reason="chromium is not installed")


@pytest.fixture(scope="module")
def machine(tmp_path_factory) -> pathlib.Path:
    """A captured machine whose GPU fell off the bus before its power was cut."""
    root = tmp_path_factory.mktemp("machine") / "fs"
    shutil.copytree(CASE / "fs", root)
    for packed in root.rglob("*.xz"):
        packed.with_suffix("").write_bytes(lzma.decompress(packed.read_bytes()))
        packed.unlink()
    return root


def autopsy(*words: str) -> subprocess.CompletedProcess:
    return subprocess.run([proc.program("antifreeze"), "autopsy", *words], capture_output=True, text=True, timeout=60, check=False,
                          env={"PATH": "/usr/bin:/bin", "LANG": "ja_JP.UTF-8"})


def report(machine: pathlib.Path, *words: str) -> str:
    done = autopsy("--root", str(machine), "--html", "-", *words)
    assert done.returncode == 1, "a boot ended badly" + done.stderr
    return done.stdout


class Reader(html.parser.HTMLParser):
    """Each element closed in order, each attribute once, no id twice; keeps what is shown as text."""

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.ids: set[str] = set()
        self.targets: set[str] = set()
        self.text = ""
        self.tags: set[str] = set()
        self.style = ""
        self.policy = ""
        self.feed(text)
        self.close()
        assert self.open == [], self.open
        assert self.targets <= self.ids, self.targets - self.ids

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), (tag, names)
        assert not [name for name in names if name.startswith("on") or name == "style"], (tag, names)
        given = dict(attrs)
        self.tags.add(tag)
        if "id" in given:
            assert given["id"] not in self.ids, given["id"]
            self.ids.add(given["id"])
        if tag == "a":
            assert given["href"].startswith("#"), given
            self.targets.add(given["href"][1:])
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            self.style += data
        elif self.open:
            self.text += data + " "


@pytest.mark.parametrize("lang", ["en", "ja", "zh"])
def test_the_page_is_well_formed_and_allows_its_own_style_alone(machine, lang):
    page = Reader(report(machine, "--lang", lang))
    digest = base64.b64encode(hashlib.sha256(page.style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}';" in page.policy, "the style sheet was changed: put this into page_style_hash()"
    assert page.policy.startswith("default-src 'none';")
    assert not page.tags & {"script", "iframe", "img", "object", "embed", "form", "base"}
    assert {"svg", "table"} <= page.tags


def test_tidy_has_no_complaint(machine):
    if not shutil.which("tidy"):
        pytest.skip("tidy is not installed")
    done = subprocess.run(["tidy", "-q", "-e", "-utf8", "--drop-empty-elements", "no"], input=report(machine), capture_output=True,
                          text=True, timeout=20, check=False)
    # It does not know links within SVG.
    assert [line for line in done.stderr.splitlines() if '<a> proprietary attribute "href"' not in line] == []


@needs_browser
@pytest.mark.parametrize(("lang", "words"), [
    ("en", ["GPU fell off the bus", "gpu_off_bus (Xid 79)", "first abnormal event", "What to do"]),
    ("ja", ["GPU がバスから脱落", "gpu_off_bus (Xid 79)", "最初の異常", "対処"]),
    ("zh", ["GPU 从总线上掉线", "gpu_off_bus (Xid 79)", "首个异常事件", "处理办法"]),
])
def test_a_browser_shows_ending_and_cause_without_asking_for_anything(machine, tmp_path, lang, words):
    shown = browser.open_page(report(machine, "--lang", lang).encode(), tmp_path)
    assert shown.requests == [URL]
    assert shown.complaints == []
    page = Reader(shown.dom)
    for word in words + ["GPU has fallen off the bus", "nvidia-smi -q -d PERFORMANCE"]:
        assert word in page.text, word


@needs_browser
def test_the_style_sheet_is_let_through(machine, tmp_path):
    """Rendered with another hash the picture is another one: the policy is in force, and ours fits."""
    def picture(page: str, name: str) -> bytes:
        target = tmp_path / f"{name}.png"
        browser.open_page(page.encode(), tmp_path, f"--screenshot={target}", "--window-size=800,600")
        return target.read_bytes()
    page = report(machine)
    refused = re.sub(r"style-src 'sha256-[^']*'", "style-src 'none'", page)
    assert picture(page, "ours") != picture(refused, "refused")


@needs_browser
def test_a_page_that_asks_and_runs_is_noticed(tmp_path):
    """The check itself can fail."""
    bad = b"<!DOCTYPE html><meta charset=utf-8><img src='http://elsewhere.test/x.png'>" \
          b"<link rel=stylesheet href='https://fonts.googleapis.com/x.css'><script>console.error('ran')</script>"
    shown = browser.open_page(bad, tmp_path)
    assert {"http://elsewhere.test/x.png", "fonts.googleapis.com:443"} <= set(shown.requests)
    assert [line for line in shown.complaints if "ran" in line]


@needs_browser
def test_hostile_log_lines_neither_run_nor_load(tmp_path):
    evil = "<script>console.error('ran')</script><img src='http://elsewhere.test/x.png'></code></td></table>'\"\x1b[31m\u202e"
    lines = ["[    0.000000] Linux version 6.1.0"]
    lines += [f"[ {at}.000000] NVRM: Xid (PCI:0000:01:00): 79, pid=1874, name={evil}, GPU has fallen off the bus." for at in range(100, 130)]
    log = tmp_path / "evil.txt"
    log.write_text("\n".join(lines) + "\n")
    done = autopsy("--log", str(log), "--html", "-")
    assert done.returncode == 1, done.stderr
    assert done.stdout.count("&lt;script&gt;") > 5 and "\x1b" not in done.stdout and "\u202e" not in done.stdout
    shown = browser.open_page(done.stdout.encode(), tmp_path)
    assert (shown.requests, shown.complaints) == ([URL], [])
    assert "<script>console.error('ran')</script>" in Reader(shown.dom).text, "it is there to be read"


@needs_browser
def test_it_prints(machine, tmp_path):
    target = tmp_path / "report.pdf"
    shown = browser.open_page(report(machine).encode(), tmp_path, f"--print-to-pdf={target}", "--no-pdf-header-footer")
    assert shown.requests == [URL]
    assert target.read_bytes().startswith(b"%PDF-") and target.stat().st_size > 10_000


def test_the_file_is_private_replaced_when_ours_and_left_alone_when_not(machine, tmp_path):
    target = tmp_path / "report.html"
    old = os.umask(0)
    try:
        done = autopsy("--root", str(machine), "--html", str(target))
    finally:
        os.umask(old)
    assert (done.returncode, done.stdout, done.stderr) == (1, f"wrote {target}\n", "")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    first = target.read_text()
    assert first.startswith("<!-- antifreeze autopsy report -->\n<!DOCTYPE html>\n")

    assert autopsy("--root", str(machine), "--html", str(target), "--lang", "ja").returncode == 1
    assert '<html lang="ja">' in target.read_text() != first

    target.write_text("my notes")
    done = autopsy("--root", str(machine), "--html", str(target))
    assert done.returncode == 65
    assert done.stderr == f"antifreeze: {target} is there and is no report of antifreeze; remove it or name another file\n"
    assert target.read_text() == "my notes"
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_what_does_not_go_together_is_told(machine, tmp_path):
    target = str(tmp_path / "x.html")
    for words, what in ((["--html", target, "--json"], "--html makes a page of its own; leave out --json and --all"),
                        (["--html", ""], "--html needs a file's name, or -"),
                        (["--lang", "fr"], "--lang knows en, ja and zh, not 'fr'")):
        done = autopsy("--root", str(machine), *words)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"antifreeze: {what}\n"), words
    done = autopsy("--root", str(machine), "--html", target, "--dry-run")
    assert done.stdout == f"would write {target}\n" and not pathlib.Path(target).exists()


def test_english_whatever_the_locale_and_json_in_any_language(machine):
    assert "STARTED (UTC)" in autopsy("--root", str(machine), "--all").stdout
    assert "開始 (UTC)" in autopsy("--root", str(machine), "--all", "--lang", "ja").stdout
    assert "结束方式" in autopsy("--root", str(machine), "--all", "--lang", "zh").stdout
    assert autopsy("--root", str(machine), "--json", "--lang", "ja").stdout == autopsy("--root", str(machine), "--json").stdout
