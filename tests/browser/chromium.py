"""A headless Chromium, driven by its debugging pipe: what a page shows, says on its console and asks for."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-extensions",
)
SECONDS = 60


def installed():
    """The path of a Chromium, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One tab: commands go out, answers and events come in, all as JSON that ends with a zero byte."""

    def __init__(self, read_end, write_end):
        self._read, self._write = os.fdopen(read_end, "rb"), os.fdopen(write_end, "wb")
        self._number, self._rest, self.events = 0, b"", []
        self._session = None
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self._session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            self(f"{domain}.enable")

    def __call__(self, method, **settings):
        """The answer to a command; events meanwhile are kept."""
        self._number += 1
        session = {} if self._session is None else {"sessionId": self._session}
        message = {"id": self._number, "method": method, "params": settings} | session
        self._write.write(json.dumps(message).encode() + b"\0")
        self._write.flush()
        while (answer := self._next()).get("id") != self._number:
            self.events.append(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def _next(self):
        while b"\0" not in self._rest:
            some = os.read(self._read.fileno(), 1 << 20)
            assert some, "Chromium has ended"
            self._rest += some
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)

    def open(self, url, width, *, dark=False):
        """Load a page in a window of this width, and wait until it stands."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self("Emulation.setEmulatedMedia", features=[scheme])
        self("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        self.events, self._width = [], width
        self("Page.navigate", url=url)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._next())

    def close(self):
        """Both ends of the pipe."""
        self._read.close()
        self._write.close()

    def value(self, expression):
        """What a line of JavaScript gives."""
        return self("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def overflow(self):
        """Pixels by which the page is wider than its window, and the elements that stick out of it."""
        wide = self.value(f"document.documentElement.scrollWidth - {self._width}")
        outside = self.value(
            "[...document.querySelectorAll('body *')].filter(e => !e.closest('.table, pre') &&"
            f" e.getBoundingClientRect().right > {self._width} + 1).map(e => e.tagName).slice(0, 5)"
        )
        return wide, outside

    def requests(self):
        """Addresses that the page asked for, but its own and data in itself."""
        asked = [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return [url for url in asked[1:] if not url.startswith("data:")]

    def complaints(self):
        """Errors and warnings on the console."""
        logs = [e["params"]["entry"]["text"] for e in self.events if e.get("method") == "Log.entryAdded"]
        thrown = [str(e["params"]) for e in self.events if e.get("method") == "Runtime.exceptionThrown"]
        called = [str(e["params"]["args"]) for e in self.events if e.get("method") == "Runtime.consoleAPICalled"]
        return logs + thrown + called

    def screenshot(self, path):
        """The whole page as PNG."""
        taken = self("Page.captureScreenshot", captureBeyondViewport=True, format="png")
        path.write_bytes(base64.b64decode(taken["data"]))

    def pdf(self, path):
        """The page on paper."""
        path.write_bytes(base64.b64decode(self("Page.printToPDF", printBackground=True)["data"]))


@contextmanager
def browser():
    """A browser with a profile of its own, gone afterwards."""
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()

    def connect():
        """Its ends as 3 and 4, where Chromium looks for them."""
        spare_in, spare_out = os.dup(theirs_in), os.dup(theirs_out)
        os.dup2(spare_in, 3)
        os.dup2(spare_out, 4)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [installed(), *FLAGS, f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"]
        process = subprocess.Popen(
            command, preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(theirs_in)
        os.close(theirs_out)
        tab = Browser(ours_in, ours_out)
        try:
            yield tab
        finally:
            tab.close()
            process.kill()
            process.wait(SECONDS)
