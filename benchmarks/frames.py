"""How long a report takes to open, and how many frames a second it draws while it is panned and zoomed.

    python benchmarks/frames.py REPORT.html [SECONDS]

Needs playwright and a chromium (on the PATH, or named in NSYSQL_BROWSER). Each frame asks for the next step of the
motion, as a drag does, so that what is counted are frames that were drawn. Headless chromium draws without a GPU here:
a desktop is faster.
"""

import os
import shutil
import sys
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
NAMES = ("chromium", "chromium-browser", "google-chrome")
MOVE = """([motion, seconds]) => new Promise((done) => {
  const { view, drawing } = window.nsysql, began = performance.now(), first = drawing.frames, spent = [];
  let last = began, step = 0;
  function next(now) {
    spent.push(now - last);
    last = now;
    if (now - began > seconds * 1000) {
      spent.shift();
      spent.sort((a, b) => a - b);
      const slow = spent[Math.floor(spent.length * 0.95)];
      return done({ frames: drawing.frames - first, seconds: (now - began) / 1000, slow });
    }
    const back = Math.floor(step++ / 30) % 2;
    if (motion === "pan") view.pan(back ? -0.01 : 0.01);
    else view.zoom(back ? 1 / 0.93 : 0.93, (view.from + view.to) / 2);
    requestAnimationFrame(next);
  }
  requestAnimationFrame(next);
})"""
SHOW = """(share) => { const { view, data } = window.nsysql, from = 0.3 * (1 - share);
  view.set(from * data.span, (from + share) * data.span); }"""
VIEWS = {"whole": 1.0, "a tenth": 0.1, "a hundredth": 0.01}


def measure(report: Path, seconds: float) -> None:
    """Print a line for opening, and one for each motion and part of the time line."""
    found = os.environ.get("NSYSQL_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        raise SystemExit("no browser here: apt-get install chromium, or name one in NSYSQL_BROWSER")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        page = browser.new_page(viewport={"width": 1600, "height": 1000})
        began = time.perf_counter()
        page.goto(report.resolve().as_uri())
        page.wait_for_selector("#explorer[data-ready]", timeout=60_000)
        rows = page.evaluate("window.nsysql.data.rows")
        size = report.stat().st_size / 1e6
        print(f"opened in {time.perf_counter() - began:.2f} s: {size:.1f} MB, {rows:,} rows drawn")
        for name, share in VIEWS.items():
            page.evaluate(SHOW, share)
            for motion in ("pan", "zoom"):
                told = page.evaluate(MOVE, [motion, seconds])
                rate = told["frames"] / told["seconds"]
                print(f"{motion:5} {name:12} {rate:6.1f} frames a second, 95% within {told['slow']:.0f} ms")
        browser.close()


if __name__ == "__main__":
    measure(Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 2.0)
