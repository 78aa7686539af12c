"""An export that is replaced, rewritten or removed while it is open; and files that are no regular ones."""

import os
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest
from command_line import Ran, process
from folders import create_folder

import nsysql
from nsysql.errors import ExportChanged, MissingData, NotAnExport

Story = Callable[[str], Path]
Run = Callable[..., Ran]
Special = Callable[[Path], Path]
Refused = Callable[..., str]
FORMS = ("sqlite", "parquet", "arrow", "duckdb")


def database(folder: Path, target: Path) -> Path:
    """The tables of a folder in a DuckDB file, where `nsysql convert` has them."""
    with duckdb.connect(str(target)) as con:
        con.execute("CREATE SCHEMA nsys")
        for file in folder.iterdir():
            con.execute(f"CREATE TABLE nsys.{file.stem} AS FROM '{file}'")
    return target


@pytest.fixture(scope="module")
def captures(story: Story, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Path, Path]]:
    """Two captures in each form, made once."""
    place = tmp_path_factory.mktemp("captures")

    def made(name: str, form: str) -> Path:
        target = place / f"{name}.{form}"
        if form == "sqlite":
            return story(name)
        if form != "duckdb":
            return target if target.exists() else create_folder(story(name), target, form)
        return target if target.exists() else database(made(name, "parquet"), target)

    return lambda form: (made("two_streams", form), made("equal_correlation_ids", form))


@pytest.fixture(params=FORMS)
def pair(
    request: pytest.FixtureRequest, captures: Callable[[str], tuple[Path, Path]], tmp_path: Path
) -> tuple[Path, Path]:
    """An export of the test's own, and another capture in its form."""
    first, second = captures(request.param)
    copy = shutil.copytree if first.is_dir() else shutil.copy
    return Path(copy(first, tmp_path / f"run.{request.param}")), Path(copy(second, tmp_path / f"other.{request.param}"))


def files(export: Path) -> list[Path]:
    return sorted(export.iterdir()) if export.is_dir() else [export]


def replaced(export: Path, other: Path) -> None:
    export.rename(export.with_name("old"))
    other.rename(export)


def rewritten(export: Path, other: Path) -> None:
    """As `cp` writes into a file that is there."""
    for file in files(export):
        source = other / file.name if other.is_dir() else other
        if source.exists():
            with file.open("r+b") as opened:
                opened.write(source.read_bytes())
                opened.truncate()


def one_file_replaced(export: Path, other: Path) -> None:
    file = next((file for file in files(export) if file.stem == "StringIds"), export)
    (other / file.name if other.is_dir() else other).replace(file)


def removed(export: Path, _other: Path) -> None:
    export.rename(export.with_name("gone"))


@pytest.mark.parametrize("change", [replaced, rewritten, one_file_replaced, removed])
def test_nothing_is_answered_of_two_captures(change: Callable[..., None], pair: tuple[Path, Path]) -> None:
    with nsysql.open(pair[0]) as run:
        assert run.cuda_gpu_kern_sum()["instances"].sum() == 3
        change(*pair)
        for ask in (
            lambda: run.cuda_gpu_kern_sum(),
            lambda: run.launches(),
            lambda: run.sql("SELECT 1"),
            lambda: run.relation("launches"),
            lambda: run.answer("launches", 3),
        ):
            with pytest.raises(ExportChanged, match="open the export again") as refused:
                ask()
            assert str(pair[0]) in str(refused.value)


def test_the_first_question_notices_it_too(pair: tuple[Path, Path]) -> None:
    for ask in (
        lambda run: run.launches(),
        lambda run: run.info,
    ):
        with nsysql.open(pair[0]) as run:
            for file in files(pair[0]):
                os.utime(file, ns=(0, file.stat().st_mtime_ns + 1))
            with pytest.raises(ExportChanged):
                ask(run)


def test_a_change_while_a_question_runs_is_noticed_after_it(pair: tuple[Path, Path]) -> None:
    with nsysql.open(pair[0]) as run:
        real = run._preparation.prepare

        def prepare(*arguments: object, **more: object) -> object:
            found = real(*arguments, **more)  # type: ignore[arg-type]
            os.utime(files(pair[0])[0], (0, 0))
            return found

        run._preparation.prepare = prepare  # type: ignore[method-assign, assignment]
        with pytest.raises(ExportChanged):
            run.launches()


def test_an_untouched_export_answers_on_in_any_folder(
    pair: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(pair[0].parent)
    with nsysql.open(pair[0].name) as run:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        pair[1].rename(tmp_path / "elsewhere" / pair[0].name)  # another capture, by the same relative path
        assert run.cuda_gpu_kern_sum()["instances"].sum() == 3
        assert run.info.size_bytes > 0
        run.launches()
        with pytest.raises(MissingData):
            run.mpi_event_sum()


def test_a_link_that_leads_elsewhere_now(pair: tuple[Path, Path]) -> None:
    link = pair[0].with_name(f"latest{pair[0].suffix}")
    link.symlink_to(pair[0])
    with nsysql.open(link) as run:
        run.launches()
        link.unlink()
        link.symlink_to(pair[1])
        with pytest.raises(ExportChanged, match="latest"):
            run.launches()


def test_a_log_that_appears_beside_a_sqlite_export(captures: Callable[..., tuple[Path, Path]], tmp_path: Path) -> None:
    export = Path(shutil.copy(captures("sqlite")[0], tmp_path / "run.sqlite"))
    with nsysql.open(export) as run:
        run.launches()
        export.with_name("run.sqlite-journal").write_bytes(b"\0" * 512)
        with pytest.raises(ExportChanged, match=r"run\.sqlite-journal"):
            run.launches()


def test_the_command_line_says_it_in_one_line(
    pair: tuple[Path, Path], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nsysql.capture.connection import Engine

    real = Engine._connect
    monkeypatch.setattr(Engine, "_connect", lambda self: (real(self), replaced(*pair)))
    answer = run("launches", pair[0])
    assert (answer.code, answer.out, answer.err.count("\n")) == (1, b"", 1)
    assert f"{pair[0]}" in answer.err
    assert "run the command again" in answer.err


# Files that are no regular ones ------------------------------------------------------------------------


@pytest.fixture(params=["pipe", "socket", "device"])
def special(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[Path], Path]]:
    """Put something at a path from which nothing ever comes; who waits for it is interrupted."""
    if os.name == "nt":
        pytest.skip("Windows has no such files")

    def interrupt(*_: object) -> None:
        raise TimeoutError("waited for ever")

    sockets = []

    def put(path: Path) -> Path:
        path.unlink(missing_ok=True)
        if request.param == "pipe":
            os.mkfifo(path)
        elif request.param == "device":
            path.symlink_to("/dev/zero")
        else:
            sockets.append(socket.socket(socket.AF_UNIX))
            sockets[-1].bind(os.path.relpath(path))  # which may not be long
        return path

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.alarm(60)
    yield put
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
    for one in sockets:
        one.close()


@pytest.fixture
def refused(run: Run) -> Callable[..., str]:
    """What a command says that does nothing else."""

    def said(*arguments: object) -> str:
        answer = run(*arguments)
        assert (answer.code > 0, answer.out, answer.err.count("\n")) == (True, b"", 1), answer
        return answer.err

    return said


@pytest.mark.parametrize("name", ["run.sqlite", "run.nsys-rep", "run.duckdb"])
def test_an_export_that_is_no_file(name: str, special: Special, tmp_path: Path, refused: Refused) -> None:
    export = special(tmp_path / name)
    with pytest.raises(NotAnExport, match="regular file"):
        nsysql.open(export)
    for command in (["summary", export], ["redact", export, "-o", tmp_path / "new.sqlite"]):
        assert str(export) in refused(*command)


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_a_table_that_is_no_file(form: str, special: Special, story: Story, tmp_path: Path) -> None:
    folder = create_folder(story("two_streams"), tmp_path / "run", form)
    table = special(folder / f"StringIds.{form}")
    with pytest.raises(NotAnExport, match="regular file") as said:
        nsysql.open(folder)
    assert str(table) in str(said.value)


def test_a_query_that_is_no_file(special: Special, story: Story, tmp_path: Path, refused: Refused, run: Run) -> None:
    (tmp_path / "pack").mkdir()
    query = special(tmp_path / "pack" / "mine.sql")
    for command in (["mine", story("two_streams")], ["list"], ["show", "mine"], ["launches", story("two_streams")]):
        assert f"{query} cannot be read: it is not a regular file" in refused("--pack", tmp_path / "pack", *command)
    assert "regular file" in run("check", tmp_path / "pack").text


def test_an_output_that_nobody_reads(special: Special, story: Story, tmp_path: Path, refused: Refused) -> None:
    output = special(tmp_path / "out.csv")
    if output.is_char_device():
        return  # a device takes what is written
    assert str(output) in refused("launches", story("two_streams"), "-q", "-o", output)
    convert = ("convert", story("two_streams"), "-o", output, "--to", "duckdb")
    assert "exists" in refused(*convert)
    assert "neither a file nor a folder" in refused(*convert, "--force")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
def test_an_output_that_somebody_reads(story: Story, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "out.csv")
    reader = os.open(tmp_path / "out.csv", os.O_RDONLY | os.O_NONBLOCK)
    ran = process("launches", story("two_streams"), "-q", "-o", tmp_path / "out.csv")
    assert (ran.returncode, os.read(reader, 20)[:8]) == (0, b"process,")
    os.close(reader)
    piped = process("launches", story("two_streams"), "-q", "-f", "csv", "-o", "/dev/stdout")
    assert (piped.returncode, piped.stdout[:8]) == (0, "process,")


def test_a_rewrite_that_keeps_size_and_time_is_seen(story: Story, tmp_path: Path) -> None:
    export = Path(shutil.copy(story("two_streams"), tmp_path / "run.sqlite"))
    with nsysql.open(export) as run:
        run.gpu_time()
        before = export.stat()
        export.write_bytes(export.read_bytes())
        os.utime(export, ns=(before.st_atime_ns, before.st_mtime_ns))
        with pytest.raises(ExportChanged):
            run.gpu_time()
