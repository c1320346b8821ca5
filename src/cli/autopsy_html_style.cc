// The page's look. Light and dark by what the reader's system says; on paper always light.
#include "cli/autopsy_html_parts.h"

namespace antifreeze::cli {
namespace {

constexpr std::string_view kStyle = R"css(
:root {
  color-scheme: light dark;
  --page: #ffffff; --text: #1c2126; --quiet: #59636e; --line: #d5dbe1; --soft: #f3f5f7; --link: #0b5cad;
  --good: #2f8f5b; --running: #4a7fc1; --memory: #8e44ad; --gpu: #c0392b; --kernel: #b8540c; --hardware: #a6781a;
  --software: #3d6f7d; --traceless: #3a3f45; --unknown: #8a939c; --warning: #b57a00; --error: #c0261c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14181c; --text: #e3e8ed; --quiet: #98a4b0; --line: #353d46; --soft: #1e242a; --link: #7ab8f5;
    --good: #55b981; --running: #79a8e6; --memory: #c08be0; --gpu: #f07167; --kernel: #ea9350; --hardware: #d9b154;
    --software: #7fb3c2; --traceless: #cfd6dd; --unknown: #6d7781; --warning: #e3b341; --error: #ff7b72;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1rem; max-width: 62rem; background: var(--page); color: var(--text); line-height: 1.5;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere;
}
:lang(ja) body { font-family: system-ui, "Hiragino Sans", "Yu Gothic UI", "Noto Sans CJK JP", "Noto Sans JP", sans-serif; }
:lang(zh) body { font-family: system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC", sans-serif; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1.1rem; margin: 0; }
h4 { font-size: 1rem; margin: 1.3rem 0 .3rem; }
p { margin: .3rem 0; }
a { color: var(--link); }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: .86em; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .5rem .7rem; overflow-x: auto; }
.quiet, .sure { color: var(--quiet); font-size: .88rem; font-weight: normal; }
.count { font-size: 1.05rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .7rem .25rem 0; border-bottom: 1px solid var(--line); }
td { font-variant-numeric: tabular-nums; }
th, .boots td, .lines td:nth-child(-n+2) { white-space: nowrap; }
.lines td:nth-child(3) { min-width: 15rem; }
.lines td:nth-child(1) { text-align: right; }
tr.bad { font-weight: 600; }
tr.first td { background: var(--soft); border-top: 2px solid var(--error); }
tr.error code { color: var(--error); }
tr.warning code { color: var(--warning); }
.flag { color: var(--error); }
ul, ol { margin: .3rem 0; padding-left: 1.3rem; }
.boot { border: 1px solid var(--line); border-radius: 8px; padding: 1rem; margin: 1rem 0; }
.causes > li { margin-bottom: .6rem; }
.causes ul { list-style: none; padding: 0; }
.for b { color: var(--good); }
.against b { color: var(--error); }
.meter { width: 6rem; height: .5rem; }
.meter .rail { fill: var(--line); }
.meter .fill { fill: var(--running); }
.strip { width: 100%; height: auto; display: block; }
.timeline { width: 100%; min-width: 40rem; height: auto; display: block; }
.timeline text { font-size: 13px; fill: var(--quiet); }
.timeline .grid, .timeline .rail { stroke: var(--line); fill: none; }
.m-line { stroke: var(--quiet); fill: none; }
.m-note { fill: var(--running); }
.m-warning { fill: var(--warning); }
.m-error { fill: var(--error); }
.first path { stroke: var(--error); stroke-width: 2; stroke-dasharray: 5 3; fill: none; }
.timeline .first text { fill: var(--error); font-weight: 600; }
.key { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; font-size: .88rem; }
.dot { display: inline-block; width: .7em; height: .7em; border-radius: 50%; }
.g-good { background: var(--good); fill: var(--good); }
.g-running { background: var(--running); fill: var(--running); }
.g-memory { background: var(--memory); fill: var(--memory); }
.g-gpu { background: var(--gpu); fill: var(--gpu); }
.g-kernel { background: var(--kernel); fill: var(--kernel); }
.g-hardware { background: var(--hardware); fill: var(--hardware); }
.g-software { background: var(--software); fill: var(--software); }
.g-traceless { background: var(--traceless); fill: var(--traceless); }
.g-unknown { background: var(--unknown); fill: var(--unknown); }
.d-line { background: var(--quiet); border-radius: 0; width: 2px; height: .9em; }
.d-note { background: var(--running); }
.d-warning { background: var(--warning); }
.d-error { background: var(--error); }
@media print {
  :root {
    --page: #fff; --text: #000; --quiet: #444; --line: #bbb; --soft: #f3f3f3; --link: #000; --good: #2f8f5b; --running: #4a7fc1;
    --memory: #8e44ad; --gpu: #c0392b; --kernel: #b8540c; --hardware: #a6781a; --software: #3d6f7d; --traceless: #3a3f45;
    --unknown: #8a939c; --warning: #8a5d00; --error: #c0261c; color-scheme: light;
  }
  body { max-width: none; padding: 0; font-size: 10pt; }
  .boot { break-before: page; border: 0; padding: 0; }
  .wide { overflow: visible; }
  .timeline { min-width: 0; }
  pre { white-space: pre-wrap; }
  tr, pre, svg, .causes > li { break-inside: avoid; }
  .dot, tr.first td { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";

}  // namespace

std::string_view page_style() { return kStyle; }

// printf %s "$STYLE" | openssl dgst -sha256 -binary | base64; e2e/cli/test_autopsy_html.py compares.
std::string_view page_style_hash() { return "0MiqO4GEFD25SESaXeFnSdo68uNmZ2HOxs21+R5F5U0="; }

}  // namespace antifreeze::cli
