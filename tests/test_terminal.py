"""What exports, packs and file names hold never steers a terminal, nor hides on one."""

import json
import os
import re
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Ran

from nsysql.errors import escaped

posix = pytest.mark.skipif(os.name != "posix", reason="needs a pseudo terminal")
ODD = "\x1b]0;x\x07\x9b5m\u202e\u200b\U000e0041\ufeff"
SHOWN = r"\x1b]0;x\x07\x9b5m\u202e\u200b\U000e0041\ufeff"
OURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")  # our own colors, and the spinner's moves
MARK = "--- next ---"
MANY = f"""
import json, sys
from nsysql.cli import main
for arguments in json.loads(sys.argv[1]):
    try:
        main(arguments)
    except SystemExit:
        print({MARK!r}, flush=True)
"""


def on_a_terminal(*calls: list[str]) -> list[str]:
    """What a terminal gets of several command lines, each from stdout and stderr together."""
    import pty

    leader, follower = pty.openpty()
    command = [sys.executable, "-c", MANY, json.dumps(calls)]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "300", "PYTHONIOENCODING": "utf-8"}
    running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=follower, stderr=follower, env=environment)
    os.close(follower)
    shown = b""
    try:
        while part := os.read(leader, 65536):
            shown += part
    except OSError:  # Linux: nobody writes any more
        pass
    os.close(leader)
    running.wait(60)
    parts = OURS.sub("", shown.decode()).split(MARK)[:-1]
    assert len(parts) == len(calls), shown
    return parts


@pytest.fixture
def odd(tmp_path: Path, build: Callable[[str], Path]) -> Path:
    """An export whose texts and file name hold what a terminal acts on, or does not show."""
    path = tmp_path / f"run{ODD}.sqlite"
    text = " || ".join(f"char({ord(c)})" for c in f"a{ODD}")
    built = build(
        f'INSERT INTO NVTX_EVENTS (start, "end", eventType, text, globalTid) VALUES (10, 20, 59, {text}, 16777216);'
    )
    path.write_bytes(built.read_bytes())
    return path


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A pack whose header holds the same."""
    folder = tmp_path / f"lab{ODD}"
    folder.mkdir()
    about = f"-- A row{ODD}.\n--\n-- Of it{ODD}.\n"
    (folder / "mine.sql").write_text(
        f"{about}-- Columns\n--     name  VARCHAR  -- Its name{ODD}.\nSELECT 'a' AS name\nORDER BY name\n",
        encoding="utf-8",
    )
    return folder


@posix
def test_answers_on_a_terminal_are_escaped(odd: Path) -> None:
    select = "SELECT name FROM nvtx_range ORDER BY name"
    forms = ["table", "csv", "json", "markdown"]
    calls = [["sql", str(odd), select, "-f", form] for form in forms]
    calls += [["stats", str(odd), "-r", "nvtx_sum", "-f", form] for form in ("column", "csv")]
    calls.append(["summary", str(odd)])
    for call, shown in zip(calls, on_a_terminal(*calls), strict=True):
        assert escaped(shown) == shown, call
        assert SHOWN.partition("x07")[2] in shown.replace("\\\\", "\\"), call


@posix
def test_packs_on_a_terminal_are_escaped(odd: Path, pack: Path) -> None:
    calls = [["--pack", str(pack), *call] for call in (["list"], ["show", "mine"], ["mine", "--help"])]
    calls += [["--pack", str(pack), "stats", "--help-reports", "mine"], ["show", ODD], ["summary", ODD]]
    calls += [["--pack", str(pack), "check", str(pack)], ["--pack", str(pack), "mine", str(odd)]]
    parts = on_a_terminal(*calls)
    for call, shown in zip(calls, parts, strict=True):
        assert escaped(shown) == shown, call
    assert SHOWN in parts[1]


def test_a_pipe_gets_the_bytes_as_they_are(odd: Path, run: Callable[..., Ran]) -> None:
    select = "SELECT name FROM nvtx_range ORDER BY name"
    assert run("sql", odd, select, "-f", "csv").text == f"name\na{ODD}\n"
    assert ODD in run("stats", odd, "-r", "nvtx_sum", "-f", "csv").text
    assert f"Processing [run{ODD}.sqlite] with" in run("stats", odd, "-r", "nvtx_sum", "-f", "csv").text


def test_every_control_and_format_character_is_escaped() -> None:
    for number in range(sys.maxunicode + 1):
        if unicodedata.category(chr(number)) in ("Cc", "Cf", "Cs", "Zl", "Zp") and chr(number) not in "\n\t":
            assert escaped(chr(number)).isascii(), hex(number)
    visible = "\n\taé日本語µ…█▊ №€🚀 „“—"
    assert escaped(visible) == visible
