"""`nsysql verify`: what differs between a report and a CSV, and how that is told apart."""

import gzip
import runpy
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Ran

import nsysql
from nsysql.errors import UsageError
from nsysql.nsys.compare import Sheet, compare, guess, read_sheet

Run = Callable[..., Ran]

EXPORT = """
INSERT INTO StringIds (id, value) VALUES (1, 'saxpy(int, "float")'), (2, 'saxpy'), (3, 'init'), (4, 'cudaFree');
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, demangledName, shortName) VALUES
    (1000, 3000, 0, 1, 2), (4000, 5001, 0, 1, 2), (6000, 6050, 0, 3, 3), (7000, 7050, 0, 2, 2);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, nameId) VALUES (1, 2, 1, 4);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, end, copyKind, bytes) VALUES (1, 2, 1, 4096);
"""
TITLES = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name"
SAXPY = '96.8,3001,2,1500.5,1500.5,1001,2000,706.4,"saxpy(int, "float")"'
INIT = "1.6,50,1,50.0,50.0,50,50,0.0,init"
SHORT = "1.6,50,1,50.0,50.0,50,50,0.0,saxpy"


@pytest.fixture(scope="module")
def export(build: Callable[[str], Path]) -> Path:
    return build(EXPORT)


@pytest.fixture
def verify(run: Run, export: Path, tmp_path: Path) -> Callable[..., Ran]:
    """Compare cuda_gpu_kern_sum with these lines."""

    def verified(*lines: str, options: tuple[str, ...] = (), name: str = "x_cuda_gpu_kern_sum.csv") -> Ran:
        file = tmp_path / name
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return run("verify", export, "--against", file, *options)

    return verified


def test_a_damaged_file_is_one_line(run: Run, export: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "theirs_cuda_gpu_kern_sum.csv.gz"
    whole = bytearray(gzip.compress(b"Time (%)\n1.0\n" * 99))
    whole[12:20] = b"damaged!"
    damaged.write_bytes(whole)
    ran = run("verify", export, "--against", damaged)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "cannot be read" in ran.err


def test_equal_files_are_equal(verify: Callable[..., Ran]) -> None:
    ran = verify(TITLES, SAXPY, INIT, SHORT, "")
    assert (ran.code, ran.text, ran.err) == (0, "cuda_gpu_kern_sum: 27 of 27 cells equal in 3 rows\n", "")


def test_a_value_that_differs_is_named(verify: Callable[..., Ran]) -> None:
    ran = verify(TITLES, SAXPY.replace("3001", "3000"), INIT, SHORT)
    assert ran.code == 1
    assert ran.text == (
        "cuda_gpu_kern_sum: 26 of 27 cells equal in 3 rows\n  row 1, Total Time (ns): '3001' here, '3000' in the file\n"
    )


def test_rows_in_another_order_are_no_other_values(verify: Callable[..., Ran]) -> None:
    lines = (TITLES, SAXPY, SHORT, INIT)
    ran = verify(*lines)
    assert (ran.code, ran.text) == (
        1, "cuda_gpu_kern_sum: 27 of 27 cells equal in 3 rows\n  2 equal rows are in another order\n",
    )  # fmt: skip
    assert verify(*lines, options=("--any-order",)).code == 0


def test_a_value_in_another_order_is_found_by_the_texts_of_its_row(verify: Callable[..., Ran]) -> None:
    ran = verify(TITLES, SAXPY, SHORT.replace("1.6", "1.7"), INIT, options=("--any-order",))
    assert ran.code == 1
    assert "  row 2, Time (%): '1.6' here, '1.7' in the file\n" in ran.text


def test_rows_of_one_side_are_told(verify: Callable[..., Ran]) -> None:
    ran = verify(TITLES, SAXPY, "0.1,5,1,5.0,5.0,5,5,0.0,other")
    assert ran.code == 1
    assert f"  row only here: {INIT!r}\n" in ran.text and f"  row only here: {SHORT!r}\n" in ran.text
    assert "  row only in the file: '0.1,5,1,5.0,5.0,5,5,0.0,other'\n" in ran.text


def test_numbers_written_otherwise_are_equal_unless_exactness_is_asked_for(verify: Callable[..., Ran]) -> None:
    lines = (TITLES, SAXPY.replace("1500.5,1500.5", "1500.50,1501"), INIT.replace("50.0,50.0", "50,5e1"), SHORT)
    ran = verify(*lines)
    assert ran.code == 1  # a median of 1501 is no rounding: whole numbers are exact
    lines = (TITLES, SAXPY.replace("1500.5,1500.5", "1500.50,1500.54"), INIT.replace("50.0,50.0", "50,5e1"), SHORT)
    ran = verify(*lines)
    assert (ran.code, ran.text.count("\n")) == (0, 2)
    assert "  4 of them are numbers written differently" in ran.text
    assert verify(*lines, options=("--exact",)).code == 1


def test_columns_of_one_side_are_told_and_the_others_compared(verify: Callable[..., Ran]) -> None:
    titles = TITLES.replace("Instances", "Count")
    ran = verify(titles, SAXPY, INIT, SHORT)
    assert ran.code == 1
    assert "  columns only here: Instances\n  columns only in the file: Count\n" in ran.text
    assert "24 of 27 cells equal" in ran.text


def test_the_units_are_those_of_the_file(verify: Callable[..., Ran]) -> None:
    titles = TITLES.replace("(ns)", "(us)")
    lines = (
        '96.8,3.001,2,1.500,1.500,1.001,2.000,0.706,"saxpy(int, "float")"',
        "1.6,0.050,1,0.050,0.050,0.050,0.050,0.000,init",
        "1.6,0.050,1,0.050,0.050,0.050,0.050,0.000,saxpy",
    )
    assert verify(titles, *lines).code == 0


def test_the_report_is_told_by_name_titles_or_option(run: Run, export: Path, tmp_path: Path) -> None:
    for name, report in [
        ("run_cuda_gpu_kern_sum_base.csv", "cuda_gpu_kern_sum:base"),
        ("cuda_gpu_kern_sum.csv.gz", "cuda_gpu_kern_sum"),
        ("a.cuda_kern_exec_trace_start=0_end=5_mangled.csv", "cuda_kern_exec_trace:start=0:end=5:mangled"),
        ("gpukernsum.csv", "gpukernsum"),
    ]:
        with nsysql.open(export) as opened:
            assert guess(Path(name), Sheet((), []), opened.paths) == report
    mem = tmp_path / "mine.csv"
    mem.write_text("Total (KB),Count,Avg (KB),Med (KB),Min (KB),Max (KB),StdDev (KB),Operation\n", encoding="utf-8")
    assert run("verify", export, "--against", mem).text.startswith("cuda_gpu_mem_size_sum: 0 of 0 cells")
    api = tmp_path / "api.csv"
    api.write_text(TITLES.replace("Instances", "Num Calls") + "\n", encoding="utf-8")
    ran = run("verify", export, "--against", api)
    assert ran.code == 2 and "--report NAME" in ran.err and "cuda_api_sum" in ran.err and "osrt_sum" in ran.err
    assert run("verify", export, "--against", api, "--report", "cuda_api_sum").code == 1
    with nsysql.open(export) as opened, pytest.raises(UsageError, match="no report"):
        guess(Path("x.csv"), Sheet(("a", "b"), []), opened.paths)


def test_wrong_usage(run: Run, export: Path, tmp_path: Path) -> None:
    assert run("verify", export).code == 2
    assert run("verify", export, "--against", tmp_path / "none.csv").code == 2
    file = tmp_path / "cuda_gpu_kern_sum.csv"
    file.write_text(TITLES + "\n", encoding="utf-8")
    assert run("verify", export, "--against", file, "-r", "nosuch").code == 2
    assert run("verify", tmp_path / "none.sqlite", "--against", file).code == 1
    (tmp_path / "bad.csv.gz").write_bytes(b"no gzip")
    assert run("verify", export, "--against", tmp_path / "bad.csv.gz", "-r", "cuda_gpu_kern_sum").code == 2


def test_no_rows_on_both_sides_are_equal(run: Run, export: Path, tmp_path: Path) -> None:
    empty = tmp_path / "osrt_sum.csv.gz"
    empty.write_bytes(gzip.compress(b"\n"))
    assert run("verify", export, "--against", empty).code == 0
    assert run("verify", export, "--against", empty, "--report", "cuda_api_sum").code == 1


def test_sheets_are_read_by_nvidias_rules() -> None:
    sheet = read_sheet('\ufeffNum,"T,ex"t"\r\n1,"a, b"\r\n2,say "hi"\n3,"void f(int, "dim3")"\n,\n\n')
    assert sheet.titles == ("Num", 'T,ex"t')
    assert sheet.rows == [("1", "a, b"), ("2", 'say "hi"'), ("3", 'void f(int, "dim3")'), ("", "")]


def test_quotes_doubled_by_other_tools_are_the_same() -> None:
    ours = read_sheet('a,b\n1,"f(""x"", y)"\n')
    result = compare(read_sheet('a,b\n1,"f("x", y)"\n'), ours)
    assert (result.equal, result.differences, result.written_otherwise) == (2, [], 1)


def test_every_cell_is_counted_once() -> None:
    theirs = Sheet(("a", "b"), [("1", "x"), ("2", "y"), ("2", "y"), ("3", "z")])
    ours = Sheet(("a", "b"), [("2", "y"), ("1", "x"), ("4", "z"), ("2", "y")])
    result = compare(ours, theirs)
    assert (result.cells, result.equal, len(result.differences), result.moved_rows) == (8, 7, 1, 3)
    assert result.differences[0].row == 4


def test_the_cells_of_a_folder_are_counted_for_the_readme(export: Path, tmp_path: Path) -> None:
    table = runpy.run_path(str(Path(__file__).parent.parent / "tools" / "verify_corpus.py"))["table"]
    shutil.copy(export, tmp_path / "one.sqlite")
    recorded = tmp_path / "expected" / "one" / "cuda_gpu_kern_sum.csv.gz"
    recorded.parent.mkdir(parents=True)
    for line, told in ((SHORT, "27"), (SHORT.replace("1.6", "1.7"), "26 of 27")):
        recorded.write_bytes(gzip.compress("\n".join([TITLES, SAXPY, INIT, line, ""]).encode()))
        *lines, _, total = table(tmp_path).strip().splitlines()
        assert lines[-1].startswith(f"| cuda_gpu_kern_sum | {told} |")
        assert total == f"{told.split()[0]} of 27 cells are equal."
