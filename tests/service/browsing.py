"""A browser, and pages that note what goes wrong in them."""

from __future__ import annotations

import shutil

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# What the browser itself writes to the console when a request meets no server.
UNREACHABLE = (
    "net::ERR_CONNECTION_REFUSED",
    "net::ERR_CONNECTION_RESET",
    "net::ERR_EMPTY_RESPONSE",
    "net::ERR_INCOMPLETE_CHUNKED_ENCODING",
    "net::ERR_NETWORK_CHANGED",
    "net::ERR_SOCKET_NOT_CONNECTED",
    "status of 503",  # it reads its journal
)


def opened_browser():
    """Yield a browser; skip the test where there is none."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(f"no browser on the PATH: none of {', '.join(NAMES)}")
    with sync_api.sync_playwright() as playwright:
        # Without a sandbox, since a container has often no rights to make one.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


class Visit:
    """One page.

    `away` says that the service may be away, so that requests may fail; `refusals` are parts of
    what the browser writes to the console at answers that are expected to be errors.
    """

    def __init__(self, browser, origin, *, width, height, scheme):
        self.origin, self.away, self.refusals = origin, False, ()
        self.errors, self.asked = [], []
        self.page = browser.new_page(
            viewport={"width": width, "height": height}, color_scheme=scheme
        )
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._note)
        self.page.on("dialog", lambda dialog: (self.errors.append("dialog"), dialog.dismiss()))
        self.page.goto(origin, wait_until="load")

    def _note(self, message):
        if message.type not in ("error", "warning"):
            return
        allowed = (*self.refusals, *(UNREACHABLE if self.away else ()))
        if any(part in message.text for part in allowed):
            return
        self.errors.append(message.text)

    def close(self):
        """Close the page; fail on any error, and on any request to another origin."""
        self.page.wait_for_timeout(100)
        self.page.close()
        assert self.errors == []
        assert self.asked
        assert [url for url in self.asked if not url.startswith(self.origin)] == []
