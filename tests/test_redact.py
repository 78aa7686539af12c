"""`nsysql redact`: nothing private is left in the copy, to the byte, and all else is as it was."""

import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from command_line import Ran
from exports import alter, corpus_folder
from planted import FOLDER, HOST, PRIVATE, TOKEN, USER, plant

import nsysql
from nsysql.capture.forms.sqlite import open_source
from nsysql.capture.redacted_copy import write_redacted
from nsysql.errors import MissingData
from nsysql.privacy.rules import COMMAND, ENVIRONMENT, FUNCTIONS, LABELS, MESSAGES, PATH
from nsysql.privacy.rules import FOLDER as FOLDER_OF
from nsysql.privacy.scrubber import PrivateWords, Scrubber

Run = Callable[..., Ran]


@pytest.fixture
def private(story: Callable[[str], Path], tmp_path: Path) -> Path:
    """An export with private things in every known place."""
    return plant(Path(shutil.copy(story("training"), tmp_path / "private.sqlite")))


def redacted(export: Path, to: Path) -> Path:
    """The copy, written without the command line."""
    to.touch()
    file = open_source(export)
    write_redacted(file, to)
    file.close()
    return to


def rows(export: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables with their numbers."""
    db = sqlite3.connect(export)
    db.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    found = {}
    for name in names:
        numbered = "rowid" if name != "keyed" else "0"
        found[name] = db.execute(f'SELECT {numbered}, * FROM "{name}" ORDER BY 1').fetchall()
    db.close()
    return found


# What is gone ---------------------------------------------------------------------------------------


def test_nothing_private_is_left_to_the_byte(private: Path, tmp_path: Path, run: Run) -> None:
    before = private.read_bytes()
    assert all(word.encode() in before for word in PRIVATE), "the test plants what it looks for"
    ran = run("redact", private, "-o", tmp_path / "new.sqlite")
    assert ran.code == 0
    after = (tmp_path / "new.sqlite").read_bytes().lower()
    for word in PRIVATE:
        assert word.lower().encode() not in after
        assert word not in ran.text + ran.err
    assert private.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.sqlite", "private.sqlite"]


def test_the_list_names_places_kinds_and_counts(private: Path, tmp_path: Path, run: Run) -> None:
    ran = run("redact", private, "-o", tmp_path / "new.sqlite", "--format", "csv")
    lines = ran.text.splitlines()
    assert lines[0] == "place,replaced,cells"
    assert "META_DATA_CAPTURE PROCESS_N:ENVIRONMENT_VARIABLE,environment,3" in lines
    assert "META_DATA_CAPTURE PROCESS_N:ARGUMENT_N,command line,2" in lines
    assert "PROCESSES.name,path,2" in lines
    assert "ANALYSIS_FILE.content,process output,1" in lines
    assert any(line.startswith("StringIds,text that nothing refers to,") for line in lines)
    assert lines[1:] == sorted(lines[1:])


def test_what_is_not_private_stays(private: Path, tmp_path: Path) -> None:
    before, after = rows(private), rows(redacted(private, tmp_path / "new.sqlite"))
    assert before.keys() == after.keys()
    for table, kept in before.items():
        assert len(kept) == len(after[table])
        for was, now in zip(kept, after[table], strict=True):
            assert [type(cell) for cell in was] == [type(cell) for cell in now]
            assert [cell for cell in was if not isinstance(cell, str | bytes)] == [
                cell for cell in now if not isinstance(cell, str | bytes)
            ]
    strings = {number: text for _, number, text in after["StringIds"]}
    assert strings[900006].endswith("/libmine.so")
    assert strings[900007] == f"kernel<(int)1/2>(float const*, char/*, {strings[900006].partition('/')[0]}/k.cu:7)"
    assert strings[900010] == "layer1/attention/q_proj"
    assert strings[900011] == "/model/layers.0/MatMul"
    assert (1, "8") in [(row[0] // 5, row[5]) for row in after["TARGET_INFO_SYSTEM_ENV"]]
    names = [value for _, name, value in after["META_DATA_CAPTURE"] if name == "PROCESS_0:ENVIRONMENT_VARIABLE"]
    assert names[0] == 'HF_TOKEN="<redacted>"'


def test_a_redacted_export_has_nothing_to_redact(private: Path, tmp_path: Path) -> None:
    once = redacted(private, tmp_path / "once.sqlite")
    assert rows(redacted(once, tmp_path / "twice.sqlite")) == rows(once)


# What stays -----------------------------------------------------------------------------------------


def frames(export: Path) -> dict[str, Any]:
    """The answer of every query, or why there is none."""
    found: dict[str, Any] = {}
    with nsysql.open(export) as run:
        for name in run.paths:
            try:
                found[name] = run.query(name).rows()
            except MissingData as error:
                found[name] = str(error).replace(str(export), "")
    return found


def test_every_report_of_a_story_is_as_before(story: Callable[[str], Path], tmp_path: Path) -> None:
    assert frames(redacted(story("training"), tmp_path / "new.sqlite")) == frames(story("training"))


def test_the_pages_are_as_before(story: Callable[[str], Path], tmp_path: Path, run: Run) -> None:
    export = Path(shutil.copy(story("training"), tmp_path / "run.sqlite"))
    before = [run(*page, export).out for page in (["summary"], ["idle-gaps"], ["stats", "-q"])]
    Path(redacted(export, tmp_path / "new.sqlite")).replace(export)
    size = b"export   nsys"
    for was, page in zip(before, (["summary"], ["idle-gaps"], ["stats", "-q"]), strict=True):
        now = run(*page, export).out
        assert [x for x in now.splitlines() if size not in x] == [x for x in was.splitlines() if size not in x]


@pytest.mark.parametrize("name", ["wsl2-vecadd-2026.1", "windows-gtx1650-2025.3"])
def test_reports_of_public_exports_differ_where_they_print_what_was_replaced(
    name: str, corpus: Path, tmp_path: Path
) -> None:
    before = frames(corpus_folder() / f"{name}.sqlite")
    after = frames(redacted(corpus / f"{name}.sqlite", tmp_path / "new.sqlite"))
    for query, was in before.items():
        if isinstance(was, str):
            assert after[query] == was
            continue
        assert len(after[query]) == len(was), query
        for old, new in zip(was, after[query], strict=True):
            for cell, other in zip(old, new, strict=True):
                assert cell == other or (isinstance(cell, str) and "<" in other), query


# One text -------------------------------------------------------------------------------------------

TEXTS = [
    (MESSAGES, "see /opt/nvidia/x/lib.so and /tmp/a/b.log", "see <dir1>/lib.so and <dir2>/b.log"),
    (MESSAGES, r"Loaded C:\Program Files\NVIDIA Corporation\x\cupti.dll", r"Loaded <dir1>\cupti.dll"),
    (MESSAGES, "C:/Users/bo/x.log", "<dir1>/x.log"),
    (MESSAGES, r"\\server\share\x.log", r"<dir1>\x.log"),
    (MESSAGES, "CPU IP/backtrace, 12/13, and/or a/b/c", "CPU IP/backtrace, 12/13, and/or a/b/c"),
    (MESSAGES, "at 10.0.0.3:29500, not 2024.6.2.225", "at <address1>:29500, not 2024.6.2.225"),
    (MESSAGES, "5.10.16.3-wsl", "5.10.16.3-wsl"),
    (MESSAGES, "fe80:0:0:0:1:2:3:4 0000:01:00.0", "<address1> 0000:01:00.0"),
    (MESSAGES, "ssh://bo@host/x, a@b.org", "<address1> <address2>"),
    (MESSAGES, "HF_TOKEN=abcdefgh --tokens 12", "HF_TOKEN=<redacted> --tokens 12"),
    (MESSAGES, "run --api-key abcdefgh", "run --api-key <redacted>"),
    (LABELS, '{"db_password": "hunter22", "n": 1}', '{"db_password": "<redacted>", "n": 1}'),
    (LABELS, "login password=hunter22, apiKey: abcdefgh", "login password=<redacted>, apiKey: <redacted>"),
    (MESSAGES, "Authorization: Bearer abc.def-123", "Authorization: Bearer <redacted>"),
    (LABELS, "token=123456, secret: 12, bearer step", "token=123456, secret: 12, bearer step"),
    (MESSAGES, "fe80::1ff:fe23:4567:890a, 2001:db8::1, add::fc", "<address1>, <address2>, add::fc"),
    (LABELS, "A=1\nB_2=two\nC=three", "A=<redacted>\nB_2=<redacted>\nC=<redacted>"),
    (LABELS, "/model/layers.0/MatMul", "/model/layers.0/MatMul"),
    (LABELS, "fwd@layer.conv, lr=0.1, step/work/1", "fwd@layer.conv, lr=0.1, step/work/1"),
    (LABELS, "load /home/bo/x.pt", "load <dir1>/x.pt"),
    (LABELS, "bo's run, bo_1, bobo, BO", "<user1>'s run, <user1>_1, bobo, <user2>"),
    (FUNCTIONS, "void k<(int)4/2, bo::f>(a/b)", "void k<(int)4/2, bo::f>(a/b)"),
    (FUNCTIONS, "(lambda at /home/bo/x.cpp:3:4)", "(lambda at <dir1>/x.cpp:3:4)"),
    (FUNCTIONS, "pthread_mutex_init@GLIBC_2.2.5", "pthread_mutex_init@GLIBC_2.2.5"),
    (PATH, "/home/bo/my files/x (1).so", "<dir1>/x (1).so"),
    (PATH, "./bin/train", "<dir1>/train"),
    (PATH, "./train", "./train"),
    (PATH, "python3", "python3"),
    (COMMAND, "anything", "<redacted>"),
    (ENVIRONMENT, "A=b", 'A="<redacted>"'),
    (ENVIRONMENT, "b", "<redacted>"),
    (MESSAGES, "<dir1>/x", "<dir1>/x"),
]  # fmt: skip

# Paths however they are written: no folder named acme is left, and the rest of the text is.
FOLDERS = [
    (MESSAGES, "results/acme/run1.nsys-rep", "<dir1>/run1.nsys-rep"),
    (MESSAGES, "run ./acme/build/app, then", "run <dir1>/app, then"),
    (MESSAGES, "~/acme/.. and ~bo/acme/x", "<dir1>/.. and <dir2>/x"),
    (MESSAGES, "../../acme/x.py:35", "<dir1>/x.py:35"),
    (MESSAGES, "acme/.git/HEAD, x/../acme/y", "<dir1>/HEAD, <dir2>/y"),
    (MESSAGES, "in results/acme/ or /acme/", "in <dir1>/ or <dir2>/"),
    (MESSAGES, 'sh -c "cd /srv/acme && python3 run.py"', 'sh -c "cd <dir1> && python3 run.py"'),
    (MESSAGES, "$HOME/acme/x ${TOP}/acme/y", "<dir1>/x <dir2>/y"),
    (MESSAGES, r"%USERPROFILE%\acme\x $env:TEMP\acme\y", r"<dir1>\x <dir2>\y"),
    (MESSAGES, r'{"f": "\/srv\/acme\/x.json", "g": "C:\\acme\\y"}', r'{"f": "<dir1>\/x.json", "g": "<dir2>\\y"}'),
    (MESSAGES, r"acme\build\app.exe ..\acme\x.dll", r"<dir1>\app.exe <dir2>\x.dll"),
    (MESSAGES, r"\\fs\Acme Share\x\a.dll \\fs\acme", r"<dir1>\a.dll <dir2>"),
    (MESSAGES, "file:///C:/acme/x file:///mnt/acme/y", "file:<dir1>/x file:<dir2>/y"),
    (MESSAGES, "host:/export/acme/x", "host:<dir1>/x"),
    (MESSAGES, "load /data/my acme/set 1/x.bin now", "load <dir1>/x.bin now"),
    (MESSAGES, "/opt/the Client (acme)/x", "<dir1>/x"),
    (MESSAGES, r"C:\Program Files (x86)\Acme GmbH & Co\app.exe failed", r"<dir1>\app.exe failed"),
    (MESSAGES, "'results/my acme/run 1.sqlite' is", "'<dir1>/run 1.sqlite' is"),
    (MESSAGES, '"Acme Runs/build/x.py"', '"<dir1>/x.py"'),
    (MESSAGES, "/data/acme*/x, /data/name=acme/part-0.parquet", "<dir1>/x, <dir2>/part-0.parquet"),
    (MESSAGES, "--input=/data/acme/x --out results/acme/y", "--input=<dir1>/x --out <dir2>/y"),
    (MESSAGES, "cc -I/data/acme -L../acme/lib >/data/acme/log", "cc -I<dir1> -L<dir2> ><dir1>/log"),
    (MESSAGES, "DATA_DIR=/data/acme; cd results/acme", "DATA_DIR=<dir1>; cd <dir2>"),
    (MESSAGES, "PYTHONPATH=src:acme/lib:/data/acme", "PYTHONPATH=src:<dir1>:<dir2>"),
    (MESSAGES, '{"cwd": "/home/x/acme"} in directory a/acme', '{"cwd": "<dir1>"} in directory <dir2>'),
    (LABELS, "load results/acme/x.py", "load <dir1>/x.py"),
    (LABELS, "models/acme/net.py:35 ./acme/x", "<dir1>/net.py:35 <dir2>/x"),
    (LABELS, "/bigdisk/acme/x.pt DATA=/bigdisk/acme/x", "<dir1>/x.pt DATA=<dir1>/x"),
    (LABELS, "results/my acme/run 1.sqlite", "<dir1>/run 1.sqlite"),
    (LABELS, "file:///bigdisk/acme/x", "file:<dir1>/x"),
    (FUNCTIONS, "(lambda at acme/src/x.cu:3:4)", "(lambda at <dir1>/x.cu:3:4)"),
    (FUNCTIONS, "(lambda at /home/x/my acme/x.cu:3:4)", "(lambda at <dir1>/x.cu:3:4)"),
    (PATH, r"acme\build\app.exe", r"<dir1>\app.exe"),
    (PATH, "results/acme/run", "<dir1>/run"),
    (FOLDER_OF, "results/acme", "<dir1>"),
    (FOLDER_OF, "acme", "<dir1>"),
]  # fmt: skip

# Names with slashes that are no paths.
NAMES = [
    (MESSAGES, "12/13, GB/s, read/write, N/A, w/o, km/h, and/or, TCP/IP, x86/x64"),
    (MESSAGES, "CUDA/cuDNN, GNU/Linux 5.4, input/output."),
    (MESSAGES, '{"Vertex\\/Tess\\/Geometry Warps In Flight": "0"}'),
    (MESSAGES, r"one\ntwo\nthree"),
    (LABELS, "file.py:35"),
    (LABELS, "net.py(35): forward, 5 GB/s, iter 3/10, x=1/2"),
    (LABELS, "gradients/conv1/BiasAdd:0, encoder/block.0/attn.proj, prefix sum/scan"),
    (LABELS, "kworker/1:1H-xfs-log/dm-0, root/encoder/layer1, home/x/y"),
    (FUNCTIONS, "void foo<int>(T*)"),
    (FUNCTIONS, "Vertex/Tess/Geometry Warps"),
    (FUNCTIONS, "operator/=(a), Foo::~Foo()"),
    (PATH, "kworker/0:1H-kblockd"),
    (FOLDER_OF, ".."),
    (MESSAGES, "see <dir1>/x at 5 GB/s for kernel/driver info"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text", "clean"), TEXTS)
def test_a_text(kind: str, text: str, clean: str) -> None:
    words = PrivateWords(users={"bo"})
    assert Scrubber(words).scrub(kind, text)[0] == clean


@pytest.mark.parametrize(("kind", "text", "clean"), FOLDERS)
def test_folders_of_all_paths_are_replaced(kind: str, text: str, clean: str) -> None:
    assert "acme" not in clean
    assert Scrubber(PrivateWords()).scrub(kind, text)[0] == clean


@pytest.mark.parametrize(("kind", "text"), NAMES)
def test_names_with_slashes_stay(kind: str, text: str) -> None:
    assert Scrubber(PrivateWords()).scrub(kind, text) == (text, ())


def test_a_relative_path_is_known_by_another_of_the_capture() -> None:
    words = PrivateWords()
    words.learn(COMMAND, "/home/bo/acme/build/app")
    assert Scrubber(words).scrub(LABELS, "start acme/build/app")[0] == "start <dir1>/app"
    assert Scrubber(PrivateWords()).scrub(LABELS, "start acme/build/app")[0] == "start acme/build/app"


def test_a_folder_has_one_number_however_it_is_written() -> None:
    scrubber = Scrubber(PrivateWords())
    texts = (r"/srv/x/y", r"\/srv\/x\/y", r"C:\a\y", r"C:\\a\\y", "C:/a/y")
    assert [scrubber.scrub(MESSAGES, text)[0][:6] for text in texts] == ["<dir1>"] * 2 + ["<dir2>"] * 3


def test_a_path_of_a_place_that_the_capture_names_is_one_in_a_label() -> None:
    words = PrivateWords()
    words.learn(PATH, "/bigdisk/x/y")
    assert Scrubber(words).scrub(LABELS, "load /bigdisk/z/w")[0] == "load <dir1>/w"
    assert Scrubber(PrivateWords()).scrub(LABELS, "load /bigdisk/z/w")[0] == "load /bigdisk/z/w"


def test_different_texts_stay_different() -> None:
    scrubber = Scrubber(PrivateWords())
    clean = [scrubber.scrub(PATH, text)[0] for text in ("/a/x", "/b/x", "/a/x", "/a/y")]
    assert clean == ["<dir1>/x", "<dir2>/x", "<dir1>/x", "<dir1>/y"]


@pytest.mark.parametrize(
    "letter", ["a", "/", "a/", "A_", "a.", "@", "1.", "C:\\", "A=\n", "--", "f:", " ", "'a/b ", "/a "]
)
def test_a_long_text_takes_no_time(letter: str) -> None:
    began = time.process_time()
    for kind in (MESSAGES, LABELS, FUNCTIONS):
        Scrubber(PrivateWords()).scrub(kind, letter * 40_000)
    assert time.process_time() - began < 5


# Files ----------------------------------------------------------------------------------------------


def test_an_existing_file_is_replaced_only_with_force(private: Path, tmp_path: Path, run: Run) -> None:
    new = tmp_path / "new.sqlite"
    new.write_text("mine")
    ran = run("redact", private, "-o", new)
    assert (ran.code, new.read_text()) == (2, "mine")
    assert "--force" in ran.err
    assert run("redact", private, "-o", new, "--force").code == 0
    assert new.read_bytes().startswith(b"SQLite format 3")


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_the_export_itself_is_never_the_output(force: list[str], private: Path, run: Run) -> None:
    before = private.read_bytes()
    assert run("redact", private, "-o", private, *force).code == 2
    assert private.read_bytes() == before


def test_an_output_is_asked_for(private: Path, run: Run) -> None:
    ran = run("redact", private)
    assert (ran.code, ran.out) == (2, b"")
    assert "--output" in ran.err


def test_an_interrupt_is_no_damage(private: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("nsysql.privacy.scrubber.Scrubber.scrub", interrupted)
    with closing(open_source(private)) as file, pytest.raises(KeyboardInterrupt):
        write_redacted(file, tmp_path / "new.sqlite")


def test_a_folder_is_no_file_to_redact(tmp_path: Path, run: Run) -> None:
    ran = run("redact", tmp_path, "-o", tmp_path / "new.sqlite")
    assert ran.code == 2 and "redact the .sqlite of the same report" in ran.err


def test_a_damaged_export_leaves_no_copy(private: Path, tmp_path: Path, run: Run) -> None:
    whole = bytearray(private.read_bytes())
    whole[3 * 4096 :: 7] = b"\xa5" * len(whole[3 * 4096 :: 7])
    private.write_bytes(whole)
    ran = run("redact", private, "-o", tmp_path / "new.sqlite")
    assert ran.code == 1
    assert "damaged" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["private.sqlite"]


def test_triggers_views_and_indexes_are_left_out_and_do_nothing(private: Path, tmp_path: Path) -> None:
    alter(
        private,
        f"""
        CREATE INDEX i ON NVTX_EVENTS (text);
        CREATE VIEW v AS SELECT '{TOKEN}';
        CREATE TRIGGER t AFTER INSERT ON StringIds BEGIN DELETE FROM PROCESSES; END;
        CREATE TRIGGER u AFTER UPDATE ON StringIds BEGIN DELETE FROM PROCESSES; END;
        """,
    )
    new = redacted(private, tmp_path / "new.sqlite")
    db = sqlite3.connect(new)
    assert db.execute("SELECT DISTINCT type FROM sqlite_master").fetchall() == [("table",)]
    db.close()
    assert TOKEN.encode() not in new.read_bytes()
    assert len(rows(new)["PROCESSES"]) == len(rows(private)["PROCESSES"])


def test_odd_tables_and_texts(story: Callable[[str], Path], tmp_path: Path) -> None:
    export = Path(shutil.copy(story("two_streams"), tmp_path / "odd.sqlite"))
    alter(
        export,
        f"""
        CREATE TABLE "it's odd." ("rowid" TEXT, "a b'" INTEGER, CHECK (length("rowid") > 0));
        INSERT INTO "it's odd." VALUES ('x', 'at {FOLDER}/y');
        CREATE TABLE keyed (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
        INSERT INTO keyed VALUES ('{HOST}', 1.5);
        CREATE TABLE defaulted (x TEXT DEFAULT '{FOLDER}/z');
        CREATE TABLE made (a INTEGER, b INTEGER GENERATED ALWAYS AS (a + 1));
        INSERT INTO made (a) VALUES (1);
        UPDATE StringIds SET value = CAST(x'6bff00' || CAST('{FOLDER}/q' AS BLOB) AS TEXT) WHERE id = 1;
        CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
        INSERT INTO META_DATA_EXPORT VALUES (CAST(x'cccc' AS TEXT), CAST(x'20cccc' AS TEXT)), ('EXPORT_HOST', '{HOST}'),
            ('EXPORT_USER', NULL), (NULL, '{USER}'), (5, 6);
        """,
    )
    new = redacted(export, tmp_path / "new.sqlite")
    found = rows(new)
    assert found["keyed"] == [(0, "<host1>", 1.5)]
    assert found["made"] == [(1, 1, 2)]
    assert len(found["META_DATA_EXPORT"]) == 5
    for word in (b"merger", HOST.encode()):
        assert word not in new.read_bytes()


def test_utf16(tmp_path: Path) -> None:
    alter(
        tmp_path / "wide.sqlite",
        f"""
        PRAGMA encoding = 'UTF-16le';
        CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
        INSERT INTO StringIds VALUES (1, 'secret'), (2, 'gemm');
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, shortName INTEGER);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5, 2);
        CREATE TABLE PROCESSES (name TEXT); INSERT INTO PROCESSES VALUES ('{FOLDER}/bin');
        """,
    )
    found = rows(redacted(tmp_path / "wide.sqlite", tmp_path / "new.sqlite"))
    assert [text for *_, text in found["StringIds"]] == ["<redacted>", "gemm"]
    assert found["PROCESSES"][0][1] == "<dir1>/bin"
