"""Whether two installed versions of nsysql give the same answers: every query as CSV, every page in each format.

    python tools/same_answers.py OLD/.venv/bin/python NEW/.venv/bin/python EXPORT... [--only NAME,NAME] [--show]

Each version reads each export in one process. A question that only one version has is listed. Exits with 1 if an answer
differs, or nothing was compared; --show prints the first line that does.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ASK = """
import json, sys
from io import BytesIO
import nsysql
from nsysql.render.page import write_markdown
from nsysql import queries
path, only = sys.argv[1], set(sys.argv[2].split(",")) - {""}
PAGES = ("summary", "findings", "idle_gaps", "steps", "what_if", "lines", "doctor", "report", "timeline", "flame")
ALL = {"all": True}
BY = [{"by": by, **ALL} for by in ("nvtx", "api", "pattern")]
MORE = {"summary": [ALL], "findings": [ALL], "idle_gaps": [ALL, *BY]}

def page(run, name, options):
    view, file = getattr(run.pages, name)(**options), BytesIO()
    if hasattr(view, "document"):
        yield "json", json.dumps(view.document(), default=str, indent=1)
        write_markdown(view._page, file)
        yield "markdown", file.getvalue().decode()
    yield "text", str(view)
    yield "html", view._repr_html_()

def answers(run, name, options):
    try:
        yield from page(run, name[5:], options) if name.startswith("page ") else [("", run.query(name).write_csv())]
    except nsysql.NsysqlError as error:
        yield "error", f"{type(error).__name__}: {error}"

with nsysql.open(path) as run:
    for name in (*dir(queries), *(f"page {page}" for page in PAGES)):
        if not only or name in only:
            for options in ({}, *MORE.get(name[5:], ())):
                for form, text in answers(run, name, options):
                    said = " ".join([name, *(f"{key}={value}" for key, value in options.items()), form]).strip()
                    print(json.dumps([said, text]), flush=True)
"""


def answers(python: str, export: Path, only: str) -> dict[str, str]:
    """What a version answers, by question. Ends the comparison if it cannot answer to the end."""
    done = subprocess.run([python, "-c", ASK, str(export), only], capture_output=True, text=True, cwd="/", check=False)
    if done.returncode:
        sys.exit(f"{export.name}: {python}: {done.stderr.strip().splitlines()[-1]}")
    return dict(map(json.loads, done.stdout.splitlines()))


def exports_at(path: Path) -> list[Path]:
    """The exports in a folder; a file, and a folder of Parquet or Arrow files, is an export itself."""
    is_export = not path.is_dir() or any(file.suffix in (".parquet", ".arrow") for file in path.iterdir())
    kinds = ("*.sqlite", "*.duckdb", "*_pqtdir", "*_arwdir")
    return [path] if is_export else sorted(file for kind in kinds for file in path.glob(kind))


def differing(old: str, new: str) -> str:
    """The first line that differs, of both."""
    pairs = zip([*old.splitlines(), ""], [*new.splitlines(), ""], strict=False)
    was, now = next((pair for pair in pairs if pair[0] != pair[1]), ("", "(more lines)"))
    return f"    was {was[:300]}\n    now {now[:300]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=lambda path: str(Path(path).absolute()), help="its Python")
    parser.add_argument("new", type=lambda path: str(Path(path).absolute()))
    parser.add_argument("exports", nargs="+", type=Path, help="exports in any form, or folders of them")
    parser.add_argument("--only", default="", help="these questions; a page is 'page summary'")
    parser.add_argument("--show", action="store_true")
    asked = parser.parse_args()
    files = [file for path in asked.exports for file in exports_at(path)]
    same = total = 0
    for export in (file.resolve() for file in files):
        was, now = (answers(python, export, asked.only) for python in (asked.old, asked.new))
        for name in sorted(was.keys() | now.keys()):
            if name not in was or name not in now:
                print(f"{export.name}: {name}: only in {'old' if name in was else 'new'}")
                continue
            total += 1
            same += was[name] == now[name]
            if was[name] != now[name]:
                print(f"{export.name}: {name}: differs")
                print(differing(was[name], now[name]) if asked.show else "", end="\n" if asked.show else "")
    print(f"{same} of {total} answers are the same")
    return int(same != total or not total)


if __name__ == "__main__":
    sys.exit(main())
