"""A real chromium on one page: what it shows, what it complains about, and everything it asks the network for."""

import dataclasses
import http.server
import pathlib
import re
import shutil
import subprocess
import threading

BROWSER = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)
HOST = "report.test"

# A fresh profile asks its maker for the time, accounts and updates, before any page is there and whatever is switched off.
# Its fonts and libraries for web pages lie elsewhere and count as the page's.
OWN = re.compile(r"(http://)?(accounts|clients\d|update|content-autofill|optimizationguide-pa|safebrowsing|redirector)"
                 r"\.(google|googleapis|gvt1)\.com[:/]")
QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-extensions",
         "--disable-sync", "--no-first-run", "--no-default-browser-check", "--disable-client-side-phishing-detection",
         "--disable-features=OptimizationHints,MediaRouter,Translate,AutofillServerCommunication,CertificateTransparencyComponentUpdater",
         "--metrics-recording-only", "--no-pings"]


@dataclasses.dataclass
class Shown:
    dom: str
    complaints: list[str]
    requests: list[str]


class _Proxy(http.server.BaseHTTPRequestHandler):
    """All that the browser wants goes through here; only the page itself is there."""

    def do_GET(self):
        self.server.requests.append(self.path)
        found = self.path == f"http://{HOST}/page.html"
        body = self.server.page if found else b""
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_CONNECT(self):
        self.server.requests.append(self.path)
        self.send_error(403)

    def log_message(self, *_):
        pass


def open_page(page: bytes, folder: pathlib.Path, *words: str) -> Shown:
    """Loads `page` as http://report.test/page.html and returns its DOM; `words` are further options of chromium's."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Proxy)
    server.page, server.requests = page, []
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        done = subprocess.run(
            [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", *QUIET, f"--user-data-dir={folder}/profile",
             f"--proxy-server=127.0.0.1:{server.server_address[1]}", "--proxy-bypass-list=<-loopback>",
             "--enable-logging=stderr", *(words or ["--dump-dom"]), f"http://{HOST}/page.html"],
            capture_output=True, text=True, timeout=120, check=False, env={"HOME": str(folder), "PATH": "/usr/bin:/bin"})
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert done.returncode == 0, done.stderr
    complaints = [line for line in done.stderr.splitlines() if re.search(r":CONSOLE[:(]", line)]
    return Shown(done.stdout, complaints, [one for one in server.requests if not OWN.match(one)])
