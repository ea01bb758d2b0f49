"""A headless Chromium controlled by tests: a short client of the WebDriver protocol, for Debian's chromium and
chromium-driver.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = next(
    filter(
        None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"))
    ),
    None,
)
DRIVER = shutil.which("chromedriver")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


class Browser:
    """One window of a browser."""

    def __init__(self, port: int, flags: tuple[str, ...]) -> None:
        self._root = f"http://127.0.0.1:{port}"
        options = {"binary": CHROMIUM, "args": list(flags)}
        wanted = {
            "capabilities": {
                "alwaysMatch": {
                    "goog:chromeOptions": options,
                    "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
                }
            }
        }
        self._session = f"/session/{self._send('POST', '/session', wanted)['sessionId']}"
        self._send("POST", f"{self._session}/timeouts", {"script": 30_000, "pageLoad": 60_000})

    def _send(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self._root + path, data=data, method=method, headers={"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=90) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from None

    def open(self, file: Path, anchor: str = "") -> None:
        """Load a page."""
        self._send("POST", f"{self._session}/url", {"url": "about:blank"})
        self._send("POST", f"{self._session}/url", {"url": file.resolve().as_uri() + anchor})

    def run(self, script: str, *arguments: Any) -> Any:
        """The result of a script; waits for a promise."""
        body = f"const done = arguments[arguments.length - 1]; Promise.resolve((function () {{ {script} }}).apply(null, arguments)).then(done);"
        return self._send("POST", f"{self._session}/execute/async", {"script": body, "args": list(arguments)})

    def keys(self, text: str) -> None:
        """Type into the focused element."""
        strokes = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        actions = {"actions": [{"type": "key", "id": "keyboard", "actions": strokes}]}
        self._send("POST", f"{self._session}/actions", actions)

    def mouse(self, x: float, y: float, *, click: bool = False) -> None:
        """Move the mouse to a point of the window, and click there if `click`."""
        moves: list[dict[str, Any]] = [{"type": "pointerMove", "x": round(x), "y": round(y), "duration": 30}]
        if click:
            moves += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        pointer = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": moves}
        self._send("POST", f"{self._session}/actions", {"actions": [pointer]})

    def until(self, script: str, *arguments: Any, seconds: float = 20) -> Any:
        """The first true result of a script, repeated for at most `seconds`."""
        end = time.monotonic() + seconds
        while True:
            value = self.run(script, *arguments)
            if value or time.monotonic() > end:
                assert value, f"not so after {seconds} s: {script}"
                return value
            time.sleep(0.05)

    def devtools(self, command: str, **parameters: Any) -> Any:
        """The result of a command of the DevTools protocol."""
        return self._send("POST", f"{self._session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def size(self, width: int, height: int) -> None:
        """Set the window's inner size, which may be smaller than a real window's."""
        self.devtools(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )

    def console(self) -> list[str]:
        """The console messages since the previous call."""
        return [entry["message"] for entry in self._send("POST", f"{self._session}/se/log", {"type": "browser"})]

    def requests(self) -> set[str]:
        """The network requests of pages since the previous call that their policy allowed."""
        log = self._send("POST", f"{self._session}/se/log", {"type": "performance"})
        told = [json.loads(entry["message"])["message"] for entry in log]
        refused = {m["params"]["requestId"] for m in told if m["params"].get("blockedReason") == "csp"}
        asked = {
            m["params"]["request"]["url"]
            for m in told
            if m["method"] == "Network.requestWillBeSent" and m["params"]["requestId"] not in refused
        }
        return {url for url in asked if not url.startswith(("file:", "data:", "blob:", "about:"))}

    def close(self) -> None:
        """Close the window."""
        self._send("DELETE", self._session)


@contextmanager
def browser(folder: Path, *more: str) -> Iterator[Browser]:
    """A browser with an empty profile under `folder`, and the additional flags `more`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    driver = subprocess.Popen(
        [str(DRIVER), f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        _wait(port)
        window = Browser(port, (*FLAGS, f"--user-data-dir={folder / 'profile'}", *more))
        try:
            yield window
        finally:
            window.close()
    finally:
        driver.terminate()
        driver.wait(10)


def _wait(port: int) -> None:
    for _ in range(200):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("chromedriver did not start")
