"""A real browser for the tests: Debian's chromium, or what NSYSQL_BROWSER names, driven by Playwright."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]


def executable() -> str | None:
    """Where a browser is."""
    return os.environ.get("NSYSQL_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)


class Opened:
    """An open page, what it asked for and what went wrong in it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.requests: list[str] = []
        self.errors: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda said: self.errors.append(said.text) if said.type in ("error", "warning") else None)

    def open(self, path: Path, script: bool = True) -> Any:
        """Open a file and wait until its timeline is drawn."""
        self.page.goto(path.as_uri())
        if script:
            self.page.wait_for_selector("#explorer[data-ready]", timeout=20_000)
        return self.page


@contextmanager
def browser() -> Iterator[Any]:
    """A browser; the test is skipped where none is."""
    found = executable()
    if found is None:
        pytest.skip("no browser here: apt-get install chromium, or name one in NSYSQL_BROWSER")
    sync = pytest.importorskip("playwright.sync_api")
    with sync.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=found, args=FLAGS)
        try:
            yield running
        finally:
            running.close()
