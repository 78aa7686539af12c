"""lines: each nanosecond and sample has one place, by what tells it best; the page and its HTML say the same."""

import json
import shutil
import sqlite3
import struct
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from browser import Opened, browser
from command_line import Ran
from exports import FIXTURES, alter, capture_names, capture_path, corpus_folder, each_opened, one_in, story_names
from hypothesis import given
from hypothesis import strategies as st

import nsysql
from nsysql.analysis.lines.python_stacks import decode, sample_intervals
from nsysql.errors import MissingData, UsageError
from nsysql.pages.lines import shown_lines, texts

pytestmark = pytest.mark.usefixtures("kept_open")

CORPUS = corpus_folder()
PATTERNS = ("m*.sqlite", "more/cpu/*.sqlite", "more/pairs/heat*.sqlite", "more/pairs/um-repeat-06.sqlite")
SMALL = [name for name in capture_names(*PATTERNS) if capture_path(name).stat().st_size < 9_000_000]
THREAD = "500 << 24 | 500"
COUNTS = ["gpu_ns", "idle_ns", "cpu_samples", "page_faults"]
NASTY = '<script>alert(1)</script>"&.py'

Story = Callable[[str], Path]


def sums_up(run: nsysql.Run) -> None:
    """The rows of each grouping are the whole that other queries give."""
    found = {by: run.lines(by=by) for by in ("line", "function", "file")}
    whole = found["line"].select(pl.col(COUNTS).sum()).row(0)
    for frame in found.values():
        assert frame.select(pl.col(COUNTS).sum()).row(0) == whole
    parts = found["line"].select("python_samples", "native_samples", "system_samples").sum().row(0)
    assert sum(parts) == whole[2]
    assert whole[0] == run.sql("SELECT coalesce(sum(greatest(dur_ns, 0)), 0)::BIGINT FROM gpu_work").item()
    assert whole[2] == run.sql("SELECT count(*) FROM cpu_sample").item()
    assert whole[3] == run.sql("SELECT count(*) FROM cpu_page_fault").item()
    if whole[0]:
        assert whole[1] == run.idle_groups()["idle_ns"].sum() == run.idle_groups(by="line")["idle_ns"].sum()


@each_opened([*one_in(3, story_names(), 1), *SMALL])
def test_the_lines_are_the_whole(opened: nsysql.Run) -> None:
    if not any(map(opened.has, ("_gpu_work_ids", "COMPOSITE_EVENTS", "CUDA_UM_CPU_PAGE_FAULT_EVENTS"))):
        pytest.skip("nothing to attribute")
    sums_up(opened)


@pytest.mark.parametrize(("start_ns", "end_ns"), [(0, 950), (500, 1150), (255, 260)])
def test_idle_lines_of_a_stretch_sum_to_it(start_ns: int, end_ns: int, story: Story) -> None:
    with nsysql.open(story("lines_calls")) as run:
        asked = {"start_ns": start_ns, "end_ns": end_ns}
        assert run.idle_groups(by="line", **asked)["idle_ns"].sum() == run.idle_groups(**asked)["idle_ns"].sum()


def test_idle_gaps_by_line_are_those_of_lines(story: Story) -> None:
    with nsysql.open(story("lines_calls")) as run:
        found = {row["name"]: row["idle_ns"] for row in run.idle_groups(by="line").to_dicts()}
    assert found == {
        "train.cpp:10 step": 510, "train.cpp:20 f": 50, "heat.c:57 main": 300, "heat.c:61 main": 220,
        "launch_op (libops.so)": 20, "dot(float const*) (app)": 1, None: 219,
    }  # fmt: skip


def test_idle_gaps_by_line_need_lines(story: Story, run: Callable[..., Ran]) -> None:
    refused = run("idle-gaps", story("training"), "--by", "line")
    assert refused.code != 0
    assert "--by line needs lines of source, and the export has none; capture Python with" in refused.err
    assert "train.cpp:20 f" in run("idle-gaps", story("lines_calls"), "--by", "line").out.decode()


def test_a_moment_belongs_to_the_nearest_sample() -> None:
    samples = pl.DataFrame(
        {"thread_id": [1, 1, 1, 1, 2], "start_ns": [10, 20, 31, 60, 7], "place_number": [0, 1, 2, 3, 4]}
    )
    found = sample_intervals(samples).select("thread_id", "start_ns", "end_ns", "place_number").rows()
    interval = 11  # the median of 10, 11 and 29; also of thread 2, which has no other
    expected = {}
    for thread, at, number in samples.rows():
        for moment in range(-20, 100):
            own = [(abs(moment - other), other, n) for t, other, n in samples.rows() if t == thread]
            if min(own)[2] == number and abs(moment - at) <= interval:
                expected[thread, moment] = number
    held = {(t, moment): n for t, first, end, n in found for moment in range(first, end)}
    assert held == expected


def test_the_texts_of_ranges_that_name_a_place(build: Callable[[str], Path]) -> None:
    forms = {
        "train.py:12 step": ("train.py", 12, "step"),
        "/home/me/a b/train.py:12(step)": ("/home/me/a b/train.py", 12, "step"),
        "C:\\x\\k.cu:7: void f(int)": ("C:\\x\\k.cu", 7, "void f(int)"),
        "train.py(3): forward": ("train.py", 3, "forward"),
        "solve.F90:5": ("solve.F90", 5, None),
        "step 1.5:30": None,
        "lr 0.c:x": None,
        "train.py": None,
        "ratio.py:12345678901 x": None,
    }
    values = ", ".join(f"({10 * i}, {10 * i + 5}, 59, {THREAD}, '{text}')" for i, text in enumerate(forms))
    export = build(f'INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text) VALUES {values};')
    with nsysql.open(export) as run:
        run._engine.layout.create(frozenset({"_placed_range"}))
        found = run._engine.layout("_placed_range").sort("start_ns").select("file", "line", "function").rows()
    assert found == [place for place in forms.values() if place]


@pytest.mark.parametrize(
    "name", ["mpi-openacc-4gpu-2023.4", "more/pairs/heat1024-nocublas-a", "more/pairs/heat1024-cublas"]
)
def test_work_launched_by_openacc_is_that_of_a_plain_join(name: str) -> None:
    path = CORPUS / f"{name}.sqlite"
    if not path.exists():
        pytest.skip("no public exports here")
    plain = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    expected = plain.execute(
        """
        SELECT s.value, l.lineNo, sum(k."end" - k.start), count(*)
        FROM CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH AS l
        JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS r
            ON l.globalTid = r.globalTid AND l.start <= r.start AND l."end" >= r."end"
        JOIN CUPTI_ACTIVITY_KIND_KERNEL AS k
            ON r.correlationId = k.correlationId AND k.globalPid = r.globalTid - (r.globalTid & 16777215)
        JOIN StringIds AS s ON l.srcFile = s.id
        GROUP BY s.value, l.lineNo ORDER BY 3 DESC
        """
    ).fetchall()
    plain.close()
    with nsysql.open(path) as run:
        found = {(row["file"], row["line"]): row for row in run.lines(idle=False).to_dicts() if row["launches"]}
    assert expected
    for file, line, ns, count in expected:
        row = found[file, line]
        assert row["gpu_ns"] >= ns  # copies of the same line are there too
        assert row["launches"] >= count
        assert row["how"] == "OpenACC"


@pytest.mark.parametrize("name", ["matvec-multiwarp-short", "matvec-streams-b"])
def test_cpu_samples_by_function_are_those_of_call_stacks(name: str) -> None:
    path = CORPUS / "more/cpu" / f"{name}.sqlite"
    if not path.exists():
        pytest.skip("no public exports here")
    with nsysql.open(path) as run:
        found = run.lines(by="function", idle=False).filter(pl.col("cpu_samples") > 0)
        expected = run.sql(
            "SELECT call_site.function, count(*)::BIGINT FROM cpu_sample LEFT JOIN call_site"
            " ON cpu_sample.chain_id = call_site.chain_id AND source = 'COMPOSITE_EVENTS' GROUP BY ALL"
        )
    assert sorted(found.select("function", "cpu_samples").rows(), key=str) == sorted(expected.rows(), key=str)
    largest = found.drop_nulls("function").sort("cpu_samples", descending=True)["function"]
    assert largest[0].startswith(("init_matrix", "runExperiment"))  # not std::mersenne_twister_engine, which they call


# The page --------------------------------------------------------------------------------------------


def test_the_page_says_what_has_no_place(story: Story, run: Callable[..., Ran]) -> None:
    page = run("lines", story("lines_calls"), "--top", "2").out.decode()
    assert "heat.c:61" in page
    assert "train.cpp:10" not in page
    assert "(unattributed)" in page  # always
    assert "5 more rows; --top 0 shows all." in page
    assert "Without a known place: 5.6% of the GPU time, 16.6% of the idle time." in page
    assert "no lines of source" not in page
    assert "the export has no lines of source" in run("lines", story("training")).out.decode().replace("\n  ", " ")


def test_columns_of_which_no_known_place_has_any_leave_room_for_names(
    run: Callable[..., Ran], corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    page = run("lines", corpus / "more/cpu/matvec-streams-b.sqlite").text
    assert "By function  sorted by idle time" in page and "GPU time  launches" not in page
    assert "Without a known place: 100.0% of the GPU time, 100.0% of the waits" in page
    assert "init_matrix" in page.splitlines()[4]
    assert max(map(len, page.splitlines())) <= 100


def test_json_has_all_rows_and_totals(story: Story, run: Callable[..., Ran]) -> None:
    found = json.loads(run("lines", story("lines_calls"), "-f", "json", "--top", "1").out)
    assert found["schema"] == "nsysql.lines/1"
    assert len(found["rows"]) == 8
    assert found["totals"]["gpu_ns"] == 180
    assert found["totals"]["idle_ns"] == sum(row["idle_ns"] for row in found["rows"]) == 1320
    assert found["totals"]["page_faults"] is None


def test_an_export_without_work_and_samples_is_refused(story: Story, run: Callable[..., Ran]) -> None:
    refused = run("lines", story("no_cuda"))
    assert refused.code != 0
    assert refused.err.count("\n") == 1


def hostile(build: Callable[[str], Path]) -> Path:
    """An export whose source file's name is markup."""
    text = NASTY.replace("'", "''")
    return build(
        f"""
        INSERT INTO StringIds (id, value) VALUES (1, 'k'), (2, 'cudaLaunchKernel_v7000');
        INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text) VALUES
            (0, 100, 59, {THREAD}, '{text}:2 f<b>'), (100, 200, 59, {THREAD}, '../../etc/passwd.py:1 g');
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME
            (start, "end", eventClass, globalTid, correlationId, nameId, returnValue) VALUES
            (10, 20, 0, {THREAD}, 1, 2, 0), (110, 120, 0, {THREAD}, 2, 2, 0);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
            (start, "end", deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName)
            VALUES (30, 80, 0, 1, 7, 1, 500 << 24, 1, 1), (130, 140, 0, 1, 7, 2, 500 << 24, 1, 1);
        """
    )


def test_html_escapes_names_and_source(build: Callable[[str], Path], run: Callable[..., Ran], tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "<script>alert(1)<").mkdir(parents=True)
    (source / "<script>alert(1)<" / 'script>"&.py').write_text("first\n</td><script>alert(2)</script>\nthird\n")
    page = tmp_path / "lines.html"
    assert run("lines", hostile(build), "-o", page, "--source", source).code == 0
    text = page.read_text(encoding="utf-8")
    assert text.count("<script") == 1  # its own
    assert "&lt;/td&gt;&lt;script&gt;alert(2)&lt;/script&gt;" in text
    assert "f&lt;b&gt;" in text
    assert "its source was not found" in text  # of the file that would lie outside
    refused = run("lines", hostile(build), "-o", page, "--source", tmp_path / "nowhere")
    assert refused.code != 0
    assert "is not a folder" in refused.err


def test_html_asks_for_nothing(story: Story, run: Callable[..., Ran], tmp_path: Path) -> None:
    page = tmp_path / "lines.html"
    assert run("lines", story("lines_calls"), "-o", page).code == 0
    with browser() as running:
        opened = Opened(running.new_page())
        shown = opened.open(page, script=False)
        assert shown.locator(".source h2").all_inner_texts() == ["heat.c", "train.cpp"]
        assert "80 ns 44.4%" in shown.locator(".source").first.inner_text()
        bars = shown.locator(".source tr", has_text="80 ns 44.4%").locator(".bars span")
        beside = shown.locator(".source td.bars").first.evaluate(
            "(cell) => cell.clientWidth - 10"
        )  # without its padding
        assert bars.first.bounding_box()["width"] == pytest.approx(0.444 * beside, abs=1)
        assert bars.first.evaluate("(bar) => getComputedStyle(bar).backgroundColor") == "rgb(43, 114, 196)"
        assert opened.requests == [page.as_uri()]
        assert opened.errors == []


def test_source_is_found_by_the_end_of_its_path(tmp_path: Path) -> None:
    (tmp_path / "in" / "app").mkdir(parents=True)
    (tmp_path / "in" / "app" / "train.py").write_text("inner\n")
    (tmp_path / "in" / "train.py").write_text("outer\n")
    (tmp_path / "secret.py").write_text("secret\n")
    (tmp_path / "in" / "link.py").symlink_to(tmp_path / "secret.py")
    names = [
        "/home/me/app/train.py",
        "C:\\me\\other\\train.py",
        "../secret.py",
        "link.py",
        "a\0b.py",
        "x" * 300 + ".py",
    ]
    found = texts(tmp_path / "in", names)
    assert found == {names[0]: ["inner"], names[1]: ["outer"]}
    with pytest.raises(UsageError, match="is not a folder"):
        texts(tmp_path / "none", [])


def test_lines_are_shown_with_some_around_them() -> None:
    assert shown_lines([1, 9, 100], 11) == [1, 2, 3, 4, 6, 7, 8, 9, 10, 11]


def test_nothing_in_what_is_asked_for_is_told(story: Story) -> None:
    from nsysql.pages.lines import LinesAsked, collect

    with nsysql.open(story("lines_calls")) as run, pytest.raises(MissingData, match="is in the selected time"):
        collect(run, LinesAsked(filters={"start_ns": 5000}))


# Python stacks ---------------------------------------------------------------------------------------

Frame = tuple[int, int, int]


def payload(frames: list[Frame], header: bytes = b"", junk: int = 0) -> bytes:
    """A sample's payload as nsys writes it."""
    head = header + struct.pack("<4I", 3, 1, len(frames), junk)
    return head + b"".join(struct.pack("<QQII", *frame, 7) for frame in frames)


@given(
    st.lists(
        st.tuples(
            st.lists(st.tuples(st.integers(0, 2**40), st.integers(0, 2**40), st.integers(0, 2**31)), max_size=4),
            st.sampled_from(["plain", "header", "cut", "long", "none"]),
        ),
        max_size=8,
    )
)
def test_payloads_are_decoded_together(samples: list[tuple[list[Frame], str]]) -> None:
    kinds = {
        "plain": lambda frames: payload(frames, junk=99), "header": lambda frames: payload(frames, b"h" * 32),
        "cut": lambda frames: payload(frames)[:-1], "long": lambda frames: payload(frames) + b"\0" * 3,
        "none": lambda frames: None,
    }  # fmt: skip
    column = pl.Series([kinds[kind](frames) for frames, kind in samples], dtype=pl.Binary)
    expected = [
        (row, depth, *frame)
        for row, (frames, kind) in enumerate(samples)
        for depth, frame in enumerate(frames if kind in ("plain", "header") else [])
    ]
    assert decode(column).rows() == expected
    assert decode(column[1:]).rows() == [(row - 1, *rest) for row, *rest in expected if row]


def test_samples_are_rows_of_views(story: Story) -> None:
    with nsysql.open(story("lines_python")) as run:
        samples = run.sql("SELECT *, thread_id & 16777215 AS tid FROM python_sample ORDER BY row_id")
        samples = samples.select("start_ns", "tid", "number", "frames")
        frames = run.sql("SELECT * FROM python_frame WHERE is_library ORDER BY row_id, depth LIMIT 1")
        frames = frames.select("function", "file", "line")
    assert samples.rows()[:2] == [(1000, 500, 1, 2), (1100, 500, 1, 3)]
    assert samples.filter(pl.col("number") == 2)["tid"].to_list() == [None, None]
    assert samples["frames"].to_list() == [2, 3, 3, 2, 2, 2, 2, 0]
    assert frames.rows() == [("forward", "/opt/venv/lib/python3.11/site-packages/torch/nn.py", 7)]


def test_stacks_have_python_frames_between_ranges_and_functions(story: Story) -> None:
    with nsysql.open(story("lines_python")) as run:
        found = run.stacks(weight="samples")
        sums = {weight: run.stacks(weight=weight)["value"].sum() for weight in ("gpu", "idle", "launches")}
    assert sorted(found.rows()) == [
        ("<module> (train.py:40);step (train.py:20)", 1),
        ("<module> (train.py:40);step (train.py:21);forward (nn.py:7);at::mm(int)", 1),
        ("<module> (train.py:40);step (train.py:21);forward (nn.py:7);do_syscall_64", 1),
        ("at::mm(int)", 1),
    ]
    assert sums == {"gpu": 180, "idle": 450, "launches": 4}


def test_an_export_without_payloads_is_told_how_to_export(
    story: Story, run: Callable[..., Ran], tmp_path: Path
) -> None:
    export = tmp_path / "bare.sqlite"
    shutil.copy(story("lines_python"), export)
    alter(export, "ALTER TABLE NVTX_EVENTS DROP COLUMN binaryData")
    page = " ".join(run("lines", export).out.decode().split())
    assert "8 Python samples are in the export without their stacks: export the report again with nsys export" in page
    assert "--include-blobs=true" in page
    alter(export, "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL", "DELETE FROM COMPOSITE_EVENTS")
    refused = run("lines", export)
    assert refused.code != 0
    assert "8 Python samples are there without their stacks; export the report again" in refused.err
    assert "Traceback" not in refused.err


@pytest.mark.parametrize("form", ["parquet", "arrow", "duckdb"])
def test_a_converted_export_has_the_same_lines(
    form: str, story: Story, run: Callable[..., Ran], tmp_path: Path
) -> None:
    target = tmp_path / ("lines.duckdb" if form == "duckdb" else form)
    assert run("convert", story("lines_python"), "-o", target, "--to", form).code == 0
    with nsysql.open(story("lines_python")) as plain, nsysql.open(target) as converted:
        assert converted.lines().equals(plain.lines())
        assert converted.stacks(weight="samples").equals(plain.stacks(weight="samples"))


def test_the_doctor_says_what_lines_take(story: Story, run: Callable[..., Ran]) -> None:
    page = " ".join(run("doctor", story("training")).out.decode().split())
    assert "The export has no lines of source, functions at best: capture Python with" in page
    told = json.loads(run("doctor", story("lines_python"), "-f", "json").out)["lines"]
    assert told == ["The stacks of 1 of 8 Python samples cannot be read."]


def test_a_redacted_export_has_no_folder(build: Callable[[str], Path], run: Callable[..., Ran], tmp_path: Path) -> None:
    texts = ["/home/me/hidden/a.py:3 f", "/my app/hidden/b.cu:4", "C:\\hidden dir\\c.py(9): g", "src/hidden/d.py:5(h)"]
    values = ", ".join(f"({10 * n}, {10 * n + 5}, 59, {THREAD}, '{text}')" for n, text in enumerate(texts))
    export = build(
        (FIXTURES / "lines_python" / "export.sql").read_text(encoding="utf-8")
        + f"""
        INSERT INTO StringIds (id, value) VALUES (300, '/opt/hidden/heat.c'), (301, '/opt/hidden/um.cu'), (302, 'init');
        INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text) VALUES {values};
        INSERT INTO CUPTI_ACTIVITY_KIND_OPENACC_OTHER (start, "end", nameId, globalTid, lineNo, srcFile, funcName)
            VALUES (3000, 3100, 1, {THREAD}, 4, 300, 302);
        INSERT INTO CUDA_UM_CPU_PAGE_FAULT_EVENTS (start, globalPid, address, CpuInstruction, sourceFile, sourceLine)
            VALUES (3000, 500 << 24, 1, 302, 301, 5);
        """
    )
    clean = tmp_path / "clean.sqlite"
    assert run("redact", export, "-o", clean).code == 0
    raw = clean.read_bytes()
    for private in (b"hidden", b"/home/me", b"my app", b"train.py", b"/opt/"):
        assert private not in raw
    page = run("lines", clean)
    assert "um.cu:5 " in page.out.decode()
    assert "the stacks of 8 of 8 Python samples cannot be read" in " ".join(page.out.decode().split())


def test_a_call_stack_goes_first_but_through_the_interpreter(build: Callable[[str], Path]) -> None:
    export = build(
        (FIXTURES / "lines_python" / "export.sql").read_text(encoding="utf-8")
        + """
        INSERT INTO CUDA_CALLCHAINS (id, stackDepth, symbol, module, unresolved) VALUES
            (1, 0, 22, 23, 0), (2, 0, 22, 23, 0), (2, 1, 20, 21, 0);
        UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET callchainId = 1 WHERE correlationId = 1;
        UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET callchainId = 2 WHERE correlationId IN (2, 4);
        """
    )
    with nsysql.open(export) as run:
        found = {(row["line"], row["function"]): row for row in run.lines().to_dicts()}
        idle = {row["name"]: row["idle_ns"] for row in run.idle_groups(by="line").to_dicts()}
    native = found[None, "at::mm(int)"]
    assert native["gpu_ns"] == 40 + 30  # of 1 by its own stack; of 4, which has no sample near
    assert native["how"] == "CPU sample, call stack"
    assert found[21, "step"]["gpu_ns"] == 100  # 2 came by the interpreter, and the sample names the line
    assert native["idle_ns"] == idle["at::mm(int) (libtorch.so)"] == 20  # launching call 4 and its latency
    assert found[21, "step"]["idle_ns"] == 91


def test_ranges_too_deep_are_the_outer_ones(build: Callable[[str], Path]) -> None:
    values = ", ".join(f"({n}, {9000 - n}, 59, {THREAD}, 'deep.py:{n + 1} f')" for n in range(600))
    export = build(
        f"""
        INSERT INTO StringIds (id, value) VALUES (1, 'k'), (2, 'cudaLaunchKernel_v7000');
        INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text) VALUES {values};
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME
            (start, "end", eventClass, globalTid, correlationId, nameId, returnValue) VALUES
            (5000, 5010, 0, {THREAD}, 1, 2, 0);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
            (start, "end", deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName)
            VALUES (5020, 5050, 0, 1, 7, 1, 500 << 24, 1, 1);
        """
    )
    with nsysql.open(export) as run:
        assert run.lines().select("line", "gpu_ns").rows()[0] == (64, 30)


def test_functions_of_the_static_runtime_are_their_callers(build: Callable[[str], Path]) -> None:
    thread = 500 << 24 | 500
    texts = ("k", "cudaLaunchKernel_v7000", "libcudart_static_8b73e19b9b6fb2b44091792b23d85fe1faddb831", "__cudart1050")
    names = ", ".join(f"({number}, '{text}')" for number, text in enumerate((*texts, "my_launch", "/opt/app"), 1))
    export = build(f"""
INSERT INTO StringIds (id, value) VALUES {names};
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId, nameId, callchainId)
    VALUES (10, 20, {thread}, 1, 2, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
    (start, "end", deviceId, streamId, correlationId, globalPid, demangledName, shortName)
    VALUES (30, 40, 0, 7, 1, {500 << 24}, 1, 1);
INSERT INTO CUDA_CALLCHAINS (id, stackDepth, symbol, module, unresolved) VALUES
    (1, 0, 3, 6, 0), (1, 1, 4, 6, 0), (1, 2, 5, 6, 0);""")
    with nsysql.open(export) as run:
        assert run.call_site().select("function", "module").rows() == [("my_launch", "app")]
        assert run.lines().filter(pl.col("gpu_ns") > 0)["function"].to_list() == ["my_launch"]
