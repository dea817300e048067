"""Draws _static/live.png and _static/live_phone.png, the page of `boxwise live` in a browser.

python docs/make_live_pictures.py    (with the extras live and test, and chromium; two minutes)
"""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

STATIC = Path(__file__).parent / "_static"
COMMAND = ["live", "--no-browser", "--pace", "100", "--change-every", "4000"]
AFTER = 15_000  # milliseconds from the replacement of the model to the pictures


def draw(browser: Browser, address: str, name: str, width: int, height: int, sharp: float) -> None:
    """Draw the page, as soon as a model was replaced and has learned a little."""
    size = {"width": width, "height": height}
    page = browser.new_page(viewport=size, device_scale_factor=sharp, color_scheme="light")
    page.goto(address)
    page.locator("#change-list .badge.replaced").first.wait_for(timeout=120_000)
    page.wait_for_timeout(AFTER)
    page.screenshot(path=STATIC / name)
    page.close()


service = subprocess.Popen(
    [sys.executable, "-m", "boxwise.apps", *COMMAND], stdout=subprocess.PIPE, encoding="utf-8"
)
try:
    assert service.stdout is not None
    address = service.stdout.readline().strip()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--hide-scrollbars"]
        )
        draw(browser, address, "live.png", 1280, 1180, 1)
        draw(browser, address, "live_phone.png", 390, 844, 1.5)
        browser.close()
finally:
    service.send_signal(signal.SIGTERM)
    service.wait()
