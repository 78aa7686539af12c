"""The library: what `import nsysql` promises to somebody at a prompt, in a script, in a notebook."""

import inspect
import pydoc
import signal
import subprocess
import sys
import threading
from _thread import interrupt_main
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import nsysql
from nsysql.analysis import global_ids
from nsysql.analysis.global_ids import of_threads, pid_of, process_of, tid_of
from nsysql.capture import arrow_stream
from nsysql.catalog.parameters import read_ns
from nsysql.cli.entry import main
from nsysql.errors import MissingData, NotAnExport, QueryError, UsageError

Story = Callable[[str], Path]


@pytest.fixture
def run(story: Story) -> Iterator[nsysql.Export]:
    """The training story, open."""
    with nsysql.open(story("training")) as run:
        yield run


def test_a_query_is_a_method_that_gives_a_frame(run: nsysql.Export) -> None:
    frame = run.cuda_gpu_kern_sum(name="base")
    assert isinstance(frame, pl.DataFrame)
    assert "multi_tensor_apply_kernel" in frame["name"]
    assert frame["instances"].sum() == 67


def test_a_query_is_a_function_too(run: nsysql.Export) -> None:
    from nsysql.queries import cuda_gpu_kern_sum

    assert cuda_gpu_kern_sum(run, name="base").equals(run.cuda_gpu_kern_sum(name="base"))


def test_every_query_gives_the_columns_it_declares_with_their_types(run: nsysql.Export) -> None:
    types = {"BIGINT": pl.Int64, "DOUBLE": pl.Float64, "VARCHAR": pl.String, "BOOLEAN": pl.Boolean}
    for name in run.paths:
        try:
            schema = run.query(name).schema
        except MissingData:
            continue
        assert schema == {c.name: types[c.type] for c in run.find(name).columns}, name


def test_frames_are_the_same_without_pyarrow(run: nsysql.Export, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = "SELECT 1 AS a, 'x'::ENUM('x', 'y') AS b, NULL AS c, 2::HUGEINT AS d, [3] AS e, 4 AS a"
    late = "SELECT CASE WHEN range = 250000 THEN 'a' ELSE '1' END::BIGINT AS number FROM range(300000)"
    frame = run.sql(kinds)
    monkeypatch.setattr(arrow_stream, "sys", SimpleNamespace(modules={}))  # as if it was not imported
    assert run.sql(kinds).equals(frame) and run.sql(kinds).schema == frame.schema
    with pytest.raises(QueryError, match="Could not convert string 'a'"):
        run.sql(late)
    assert run.sql("SELECT 1 AS a").rows() == [(1,)]


def test_a_view_that_one_question_skips_has_its_rows_in_the_next(run: nsysql.Export) -> None:
    plain = run.cuda_gpu_kern_sum()
    assert run.sql("SELECT count(*) AS rows FROM kernel_nvtx_range")["rows"][0]
    named = run.cuda_gpu_kern_sum(nvtx_name=True)
    assert named["name"].str.contains("/").any() and not plain["name"].str.contains("/").any()
    for options in ({"start_ns": 0}, {"start_ns": 0, "nvtx_name": True}, {}):
        assert run.cuda_gpu_kern_sum(**options).equals(named if options.get("nvtx_name") else plain)


def test_arrow_and_relations(run: nsysql.Export) -> None:
    table = run.arrow("cuda_gpu_kern_sum", name="base")
    assert isinstance(table, pa.Table)
    relation = run.relation("cuda_gpu_kern_sum", name="base")
    assert isinstance(relation, duckdb.DuckDBPyRelation)
    few = relation.filter("instances = 12").aggregate("count(*)").fetchall()
    assert few == [(sum(n == 12 for n in table["instances"].to_pylist()),)]
    assert relation.pl().equals(run.cuda_gpu_kern_sum(name="base"))


def test_sql_reads_views_and_raw_tables(run: nsysql.Export) -> None:
    frame = run.sql("SELECT kind, count(*) AS n FROM gpu_work GROUP BY kind ORDER BY kind")
    assert frame.rows() == [("kernel", 67), ("memcpy", 13), ("memset", 7)]
    assert run.sql("SELECT count(*) FROM raw.NVTX_EVENTS WHERE eventType = $type", {"type": 34}).item() == 1


def test_help_shows_the_header(run: nsysql.Export) -> None:
    from nsysql import queries

    for thing in (run.cuda_gpu_kern_sum, queries.cuda_gpu_kern_sum):
        text = pydoc.plain(pydoc.render_doc(thing))
        assert "GPU time by kernel name." in text
        assert "name: str = 'demangled'" in text
        assert "total_time_ns  BIGINT" in text
        assert "Same as  nsys stats --report cuda_gpu_kern_sum" in text
    assert inspect.signature(run.cuda_gpu_kern_sum).parameters["name"].default == "demangled"


def test_rows_that_were_just_computed_are_not_read_back(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as run:
        layout = run._engine.layout
        first = layout("_gpu_activity_sorted")
        assert layout("_gpu_activity_sorted") is first


def test_functions_take_global_ids_apart(run: nsysql.Export) -> None:
    found = run.sql(
        "SELECT DISTINCT process_of(thread_id), pid_of(thread_id), tid_of(thread_id), thread_id FROM launch"
    )
    for process, pid, tid, thread in found.rows():
        assert (process, pid, tid) == (process_of(thread), pid_of(thread), tid_of(thread))
        assert (pid, process | tid) == (pid_of(process), thread)


def test_rows_of_threads_that_alternate_are_no_frames_of_a_row_each(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = pl.DataFrame({"thread_id": [1, 2] * 3 + [None], "start_ns": range(7)})
    found = of_threads(rows.sort("thread_id"))
    monkeypatch.setattr(global_ids, "runs_of", None)
    alternating = of_threads(rows)
    assert [own["start_ns"].to_list() for own in alternating.values()] == [[0, 2, 4], [1, 3, 5]]
    assert [*found] == [*alternating] == [1, 2] and all(found[thread].equals(alternating[thread]) for thread in found)


def test_an_answer_tells_what_it_lacks_and_why_it_is_empty(run: nsysql.Export) -> None:
    few = run.answer("launches", 2)
    assert (few.frame.height, few.total) == (2, run.launches().height)
    assert few.notes == tuple(run.notes("launches"))
    none = run.answer("idle_gaps", min_gap_ns=10**15, top=5)
    assert (none.frame.height, none.total) == (0, 0)
    assert none.why_none() == "no rows: nothing in this export passes min_gap_ns=1000000000000000."
    assert run.answer("kernel").why_none().startswith("no rows: this export")


def test_dir_lists_the_queries(run: nsysql.Export) -> None:
    from nsysql import queries

    others = {*dir(run)} - run.paths.keys() - run.views.keys()
    assert others == {
        "answer", "arrow", "close", "info", "notes", "pages", "path", "query", "relation",
        "select", "sql", "stream", "tables", "views",
    }  # fmt: skip
    assert {"cuda_gpu_kern_sum", "launches", "kernel", "nvtx_range"} <= {*dir(run)}
    assert not ({*run.paths, *run.views} & {*dir(nsysql.Run)})
    assert "launches" in dir(queries)
    assert set(dir(nsysql)) >= {"Export", "NsysqlError", "open", "__version__"}


def test_views_are_asked_as_queries_are(run: nsysql.Run) -> None:
    kernels = run.sql("FROM kernel")
    for rows in (run.kernel(), run.query("kernel"), run.relation("kernel").pl(), pl.from_arrow(run.arrow("kernel"))):
        assert kernels.equals(rows)
    step = run.nvtx_range().filter(pl.col("name") == "step").sort("start_ns").row(2, named=True)
    within = kernels.filter(pl.col("start_ns") < step["end_ns"], pl.col("end_ns") >= step["start_ns"])
    for rows in (run.kernel(nvtx="step/2"), run.kernel(start_ns=step["start_ns"], end_ns=step["end_ns"])):
        assert 0 < rows.height < kernels.height
        assert {*rows["row_id"]} <= {*within["row_id"]}
    assert run.views["kernel"].endswith(".") and not any(name.startswith("_") for name in run.views)
    assert "deviceId" in run.tables["CUPTI_ACTIVITY_KIND_KERNEL"]
    assert "gpu_id" in pydoc.plain(pydoc.render_doc(run.kernel))
    with pytest.raises(AttributeError, match="no query or view"):
        run._idle_gap  # noqa: B018
    with pytest.raises(UsageError, match="no query or view '_idle_gap'"):
        run.query("_idle_gap")
    assert run.sql("SELECT count(*) AS n FROM _idle_gap").item() > 0


def test_every_table_of_the_export_can_be_read(build: Callable[[str], Path], tmp_path: Path) -> None:
    """Those too that nsysql does not read itself, from every form of export; what is private in them is left out."""
    export = build(
        "INSERT INTO StringIds VALUES (1, 'a');\n"
        "CREATE TABLE CUDNN_EVENTS (timestamp INT NOT NULL, typeId INT, value REAL, note TEXT);\n"
        "INSERT INTO CUDNN_EVENTS VALUES (5, 1, 0.5, 'x'), (6, 1, 1.5, 'HOME=/root' || char(10) || 'KEY=sesame');\n"
        "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT);\n"
        "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('DeviceEnvironment', 'KEY=sesame'), ('CpuCores', '8');\n"
        "CREATE TABLE ProcessOutput (content TEXT);\nINSERT INTO ProcessOutput VALUES ('sesame');"
    )
    forms = [export, tmp_path / "parquet", tmp_path / "arrow", tmp_path / "run.duckdb"]
    for form, path in zip(("parquet", "arrow", "duckdb"), forms[1:], strict=True):
        with pytest.raises(SystemExit, match="0"):
            main(["convert", str(export), "-o", str(path), "--to", form, "--with-environment"])
    for path in forms:
        with nsysql.open(path) as run:
            assert {"CUDNN_EVENTS", "ProcessOutput"} <= run.tables.keys()
            assert run.sql("FROM raw.cudnn_events ORDER BY timestamp").rows() == [
                (5, 1, 0.5, "x"), (6, 1, 1.5, "<environment left out>"),
            ]  # fmt: skip
            assert run.sql("FROM raw.ProcessOutput").rows() == [("<process output left out>",)]
            found = run.sql("FROM raw.TARGET_INFO_SYSTEM_ENV ORDER BY name").rows()
            assert found == [("CpuCores", "8"), ("DeviceEnvironment", "<environment left out>")]


def test_a_view_without_its_tables_says_what_would_record_it(story: Story) -> None:
    with nsysql.open(story("no_cuda")) as run, pytest.raises(MissingData, match="--trace=cuda"):
        run.kernel()


def test_pages_are_methods(run: nsysql.Run) -> None:
    for page, titled in (
        (run.pages.summary(all=True), "Kernels"),
        (run.pages.idle_gaps(by="nvtx"), "Idle by NVTX range"),
        (run.pages.doctor(), "answer"),
    ):
        assert titled in str(page)
        assert isinstance(page.document(), dict)
        assert "<table>" in page._repr_html_()
    assert "narrowed to the time from 0.062000 s" in str(run.pages.idle_gaps(start_ns="62ms", all=True))
    with pytest.raises(UsageError, match="by is 'much'; it can be cause, nvtx"):
        run.pages.idle_gaps(by="much")  # type: ignore[arg-type]


def test_a_page_in_a_notebook_is_escaped(build: Callable[[str], Path]) -> None:
    export = build(
        "INSERT INTO StringIds VALUES (1, '<script>alert(1)</script>');\n"
        'INSERT INTO NVTX_EVENTS (start, "end", eventType, textId, globalTid) VALUES (0, 9, 59, 1, 16777217);'
    )
    with nsysql.open(export) as run:
        html = run.pages.summary(all=True)._repr_html_()
    assert "&lt;script&gt;alert(1)" in html
    assert "<script>" not in html


def test_unknown_names_are_refused_with_near_ones(run: nsysql.Export) -> None:
    from nsysql import queries

    with pytest.raises(UsageError, match=r"no query or view 'lanches'.*Did you mean launches"):
        run.query("lanches")
    with pytest.raises(AttributeError, match=r"Did you mean launches"):
        run.lanches  # noqa: B018
    with pytest.raises(AttributeError, match=r"Did you mean launches"):
        queries.lanches  # noqa: B018
    with pytest.raises(UsageError, match=r"cuda_gpu_kern_sum has no parameter 'nam'; .*name.* Did you mean name\?"):
        run.cuda_gpu_kern_sum(nam="base")
    with pytest.raises(
        UsageError, match=r"launches has no parameter 'top'; it has start_ns, end_ns, nvtx, steps, step_range\."
    ):
        run.launches(top=3)
    with pytest.raises(UsageError, match=r"name is 'short'; it can be demangled, base, mangled"):
        run.cuda_gpu_kern_sum(name="short")
    with pytest.raises(nsysql.NsysqlError, match=r"Did you mean kernel"):
        run.sql("SELECT * FROM kernels")


@pytest.mark.parametrize(
    ("asked", "offered"),
    [
        ("NVTX_EVENTS", " Did you mean raw.NVTX_EVENTS?"),
        ("nvtx_events", " Did you mean raw.NVTX_EVENTS?"),
        ("raw.NVTX_EVENT", " Did you mean raw.NVTX_EVENTS?"),
        ("kernelz", " Did you mean kernel or part_kernel?"),
        ("zzqqzz", ""),
    ],
)
def test_an_unknown_table_of_sql_offers_what_can_be_read(story: Story, asked: str, offered: str) -> None:
    with nsysql.open(story("training")) as run, pytest.raises(nsysql.NsysqlError) as refused:
        run.sql(f"SELECT count(*) FROM {asked}")
    assert str(refused.value).endswith(f" does not exist!{offered}")
    with nsysql.open(story("training")) as run:
        if offered:
            run.sql(f"SELECT count(*) FROM {offered.split()[-1].rstrip('?')}")


def test_missing_data_names_table_and_option(story: Story) -> None:
    with nsysql.open(story("no_cuda")) as run, pytest.raises(MissingData) as refused:
        run.cuda_gpu_kern_sum()
    assert "CUPTI_ACTIVITY_KIND_KERNEL" in str(refused.value)
    assert "--trace=cuda" in str(refused.value)


def test_all_errors_are_of_one_kind(tmp_path: Path) -> None:
    assert issubclass(NotAnExport, nsysql.NsysqlError)
    with pytest.raises(nsysql.NsysqlError):
        nsysql.open(tmp_path / "nowhere.sqlite")


def test_a_pack_of_ones_own(story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "longest.sql").write_text(
        "-- A kernel, longest first.\n-- Parameters\n--     top  BIGINT = 3  -- How many.\n"
        "-- Columns\n--     name    VARCHAR  -- Kernel.\n--     dur_ns  BIGINT   -- How long.\n"
        "SELECT name, dur_ns\nFROM kernel\nORDER BY dur_ns DESC, row_id ASC\nLIMIT $top\n"
    )
    with nsysql.open(story("training"), packs=[tmp_path]) as run:
        assert run.longest(top=1)["dur_ns"].to_list() == [1698000]
        assert "A kernel, longest first." in pydoc.plain(pydoc.render_doc(run.longest))
    monkeypatch.setenv("NSYSQL_PACKS", str(tmp_path))
    with nsysql.open(story("training")) as run:
        assert run.longest().height == 3
    (tmp_path / "launches.sql").write_text((tmp_path / "longest.sql").read_text())
    with pytest.raises(nsysql.NsysqlError, match="Two queries are named launches") as refused:
        nsysql.open(story("training"))
    assert str(tmp_path / "launches.sql") in str(refused.value)
    with pytest.raises(nsysql.NsysqlError, match="is not a folder of queries"):
        nsysql.open(story("training"), packs=[tmp_path / "nowhere"])


HEAD = "-- A row.\n-- Columns\n--     name  VARCHAR  -- Name.\n"


def test_a_pack_that_was_changed_is_read_again(story: Story, tmp_path: Path) -> None:
    for answer in ("one", "another"):
        (tmp_path / "mine.sql").write_text(f"{HEAD}SELECT '{answer}' AS name\nORDER BY name\n")
        with nsysql.open(story("training"), packs=[tmp_path]) as run:
            assert run.mine().item() == answer


@pytest.mark.parametrize("sql", ["SELECT name\nFROM os_call", "select name\nfrom os_call"])
def test_a_query_tells_what_it_was_computed_without(build: Callable[[str], Path], tmp_path: Path, sql: str) -> None:
    (tmp_path / "mine.sql").write_text(f"{HEAD}{sql}\nORDER BY name\n")
    with nsysql.open(build("INSERT INTO StringIds (id, value) VALUES (1, 'a')"), packs=[tmp_path]) as run:
        assert run.notes("mine") == [
            "computed without OSRT_API: the export has none; capture with --trace=osrt",
        ]


def test_a_parameter_of_another_type_is_given_as_text(story: Story, tmp_path: Path) -> None:
    text = HEAD.replace("-- Columns", "-- Parameters\n--     day  DATE = NULL  -- Day.\n-- Columns")
    (tmp_path / "mine.sql").write_text(f"{text}SELECT dayname($day::DATE) AS name\nORDER BY name\n")
    with nsysql.open(story("training"), packs=[tmp_path]) as run:
        assert run.mine(day="2026-11-22").item() == "Sunday"


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("5us", 5000),
        ("5\u00b5s", 5000),
        ("5\u03bcs", 5000),
        ("5 ms", 5 * 10**6),
        ("9007199254.740993s", 9007199254740993000),
    ],
)
def test_times_are_read_exactly(text: str, ns: int) -> None:
    assert read_ns(text) == ns


@pytest.mark.parametrize("text", ["", "1e99s", "9" * 40, "5 m s", "5xs", "1e999999999s", "9223372037s"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(UsageError, match="is not a time"):
        read_ns(text)


def test_a_query_at_fault_is_not_taken_for_a_damaged_export(story: Story) -> None:
    with nsysql.open(story("training")) as run:
        for sql in ("SELECT overflow FROM kernel", "SELECT 'a'::INTEGER AS x", "SELECT 'out of range' + 1 FROM kernel"):
            with pytest.raises(nsysql.NsysqlError) as refused:
                run.sql(sql)
            assert "64 bits" not in str(refused.value)
        with pytest.raises(nsysql.NsysqlError, match="64 bits"):
            run.sql("SELECT 9223372036854775807 + start_ns AS x FROM kernel")


def test_a_query_that_fails_names_its_file_and_line(story: Story, tmp_path: Path) -> None:
    path = tmp_path / "broken.sql"
    path.write_text("-- A row.\n-- Columns\n--     x  BIGINT  -- X.\nSELECT\n    nam AS x\nFROM kernel\nORDER BY x\n")
    with nsysql.open(story("training"), packs=[tmp_path]) as run, pytest.raises(nsysql.NsysqlError) as failed:
        run.broken()
    assert str(failed.value).startswith(f"{path}:5: Binder Error")


def test_info_tells_what_was_captured(run: nsysql.Export) -> None:
    assert run.info.product_version == "2026.1.1.204"
    assert run.info.schema_version == "3.24.14"
    assert run.info.duration_ns == 140_000_000
    assert "CUPTI_ACTIVITY_KIND_KERNEL" in run.info.tables


def test_notebooks_show_the_facts_and_escape_them(story: Story, tmp_path: Path) -> None:
    import shutil

    path = Path(shutil.copy(story("training"), tmp_path / "<b>run&.sqlite"))
    with nsysql.open(path) as run:
        page = run._repr_html_()
        assert "2026.1.1.204" in page
        assert "&lt;b&gt;run&amp;.sqlite" in page
        assert "<b>" not in page
        assert "run" in repr(run)


def test_a_closed_export_says_so(story: Story) -> None:
    with nsysql.open(story("training")) as run:
        run.launches()
    for ask in (run.launches, lambda: run.sql("SELECT 1"), lambda: run.arrow("launches")):
        with pytest.raises(nsysql.NsysqlError, match="was closed; open it again"):
            ask()
    run.close()


def test_limits_are_duckdbs(story: Story) -> None:
    with nsysql.open(story("training"), threads=1, memory_limit="1GB") as run:
        assert run.sql("SELECT current_setting('threads') AS n").item() == 1
    with pytest.raises(UsageError, match="memory_limit is 'much'"):
        nsysql.open(story("training"), memory_limit="much")


def test_what_needs_more_memory_than_is_usual_gets_it(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = "SELECT len(list(range)) AS n, current_setting('memory_limit') AS most FROM range(2000000)"
    monkeypatch.setattr("nsysql.capture.connection.DEFAULT_MEMORY", 8_000_000)
    with nsysql.open(story("training")) as run:
        assert run.sql("SELECT current_setting('memory_limit') AS most").item() == "7.6 MiB"
        before, layout = run.gpu_time(), run._engine.layout
        n, most = run.sql(asked).row(0)
        assert (n, most != "7.6 MiB") == (2000000, True)
        assert run._engine.layout is layout or duckdb.__version__ < "2"  # what was computed is there still
        assert run.gpu_time().equals(before)
    with (
        nsysql.open(story("training"), memory_limit="8MB") as run,
        pytest.raises(nsysql.NsysqlError, match="Out of Memory"),
    ):
        run.sql(asked)


def test_an_empty_limit_of_the_environment_is_none(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NSYSQL_MEMORY_LIMIT", "")
    monkeypatch.setenv("NSYSQL_THREADS", "")
    with nsysql.open(story("training")) as run:
        assert run.gpu_time().height


def test_a_fault_of_duckdb_is_asked_again_on_one_thread(story: Story) -> None:
    faults = [duckdb.InternalException("INTERNAL Error"), duckdb.FatalException("FATAL Error")]
    with nsysql.open(story("training"), threads=4) as run:
        before = run.launches()
        for fault in faults:
            asked = []

            def ask(fault: Exception = fault, asked: list[object] = asked) -> object:
                asked.append(run._engine.con)
                if len(asked) == 1:
                    raise fault
                return asked[-1].execute("SELECT current_setting('threads')").fetchall()

            assert run._engine.run(ask) == [(1,)]
            assert len(asked) == 2
        assert run.launches().equals(before)


def test_an_interrupted_question_is_not_waited_for(story: Story) -> None:
    """DuckDB hears Ctrl-C between its batches; this one takes long, and so would closing its connection."""
    begun, may_end, ended = threading.Event(), threading.Event(), threading.Event()

    def batches() -> Iterator[pa.RecordBatch]:
        begun.set()
        may_end.wait(20)
        yield pa.record_batch({"a": [1]})

    def ask() -> None:
        try:
            rows = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.int64())]), batches())
            run._engine.con.register("rows", rows)
            run._engine.con.execute("CREATE TEMP TABLE kept AS FROM rows")
        finally:
            ended.set()

    def press() -> None:
        begun.wait()
        interrupt_main()

    run = nsysql.open(story("training"))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores Ctrl-C
    threading.Thread(target=press).start()
    with pytest.raises(KeyboardInterrupt), run:
        run._engine.run_interruptibly(ask)
    signal.signal(signal.SIGINT, before)
    waited = ended.is_set()
    may_end.set()
    assert ended.wait(20)
    assert not waited


def test_duckdb_draws_nothing_on_stdout(story: Story) -> None:
    """It would where it takes Python for interactive: python -c, a pipe, a notebook."""
    shown = "SELECT current_setting('enable_progress_bar') AS shown"
    look = f"import nsysql, sys; print(nsysql.open(sys.argv[1]).sql({shown!r})['shown'].item())"
    done = subprocess.run([sys.executable, "-c", look, story("training")], capture_output=True, text=True, check=True)
    assert done.stdout.strip().lower() == "false"


NOTEBOOK = """
import importlib.abc, sys, types

class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] == "ipywidgets":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Missing())
kernel = types.ModuleType("IPython")  # what DuckDB looks at
kernel.get_ipython = lambda: types.SimpleNamespace(config={"IPKernelApp": {}})
sys.modules["IPython"] = kernel
import duckdb, nsysql
try:
    duckdb.connect().execute("SET enable_progress_bar = false")
except duckdb.Error as error:
    print("ipywidgets" in str(error))
with nsysql.open(sys.argv[1]) as run:
    print(run.cuda_gpu_kern_sum().height, run.sql("SELECT current_setting('enable_progress_bar') AS shown").item())
"""


def test_a_notebook_needs_no_ipywidgets(story: Story) -> None:
    """Jupyter and VS Code install a kernel without it, in which DuckDB refuses to turn its progress bar off."""
    found = subprocess.run([sys.executable, "-c", NOTEBOOK, story("training")], capture_output=True, text=True)
    assert found.stdout.split() == ["True", "8", "False"], found.stderr


def test_two_exports_at_once(story: Story) -> None:
    with nsysql.open(story("training")) as one, nsysql.open(story("two_streams")) as other:
        assert (one.cuda_gpu_kern_sum().height, other.cuda_gpu_kern_sum().height) == (8, 3)


def test_importing_nsysql_imports_no_database() -> None:
    heavy = {"duckdb", "polars", "pyarrow", "rich"}
    look = f"import sys, nsysql, nsysql.catalog.packs; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_units_are_understood(run: nsysql.Export) -> None:
    from nsysql.catalog.parameters import read_ns

    assert read_ns("10us") == 10_000
    with pytest.raises(UsageError, match="'10 parsecs' is not a time"):
        read_ns("10 parsecs")


@pytest.mark.parametrize("steps", [(1, 3), [1, 3], range(1, 4), slice(1, 4)])
def test_steps_of_every_natural_form(story: Callable[[str], Path], steps: Any) -> None:
    with nsysql.open(story("training")) as run:
        assert run.gpu_time(steps=steps).equals(run.gpu_time(steps="1:3"))
        assert run.gpu_time(steps=2).equals(run.gpu_time(steps="2"))
        assert str(run.pages.summary(steps=steps)) == str(run.pages.summary(steps="1:3"))
        assert run.answer("gpu_time", steps=steps).notes == run.answer("gpu_time", steps="1:3").notes
        with run.remembering():
            assert run.gpu_time(steps=steps).equals(run.gpu_time(steps="1:3"))


@pytest.mark.parametrize("steps", [range(1, 4, 2), slice(1, None), range(0), (1, 2, 3), 1.5, True])
def test_steps_that_are_none(story: Callable[[str], Path], steps: Any) -> None:
    with nsysql.open(story("training")) as run, pytest.raises(UsageError, match="steps is"):
        run.gpu_time(steps=steps)


def test_a_time_as_float_is_refused_as_its_unit_is_not_known(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as run:
        for ask in (run.kernel, run.pages.summary, run.pages.timeline):
            with pytest.raises(UsageError, match=r"start_ns is 0.087; it must be .*{seconds}s"):
                ask(start_ns=0.087)
        assert run.kernel(start_ns=f"{0.087}s").equals(run.kernel(start_ns=np.int64(87_000_000)))
        assert run.kernel(steps=np.int64(2)).equals(run.kernel(steps=2))


def test_times_can_be_a_timedelta(story: Callable[[str], Path]) -> None:
    start, end = timedelta(milliseconds=60), timedelta(seconds=0.0805)
    with nsysql.open(story("training")) as run:
        assert run.gpu_time(start_ns=start, end_ns=end).equals(run.gpu_time(start_ns="60ms", end_ns="80.5ms"))
        assert str(run.pages.idle_gaps(start_ns=start)) == str(run.pages.idle_gaps(start_ns="60ms"))


def test_sums_are_whole_numbers(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as run:
        found = run.sql(
            "SELECT sum(dur_ns) AS small, sum(dur_ns) * 10000000000000 AS large, NULL::HUGEINT AS n FROM kernel"
        )
    assert found.dtypes == [pl.Int64, pl.Float64, pl.Int64]
    assert found["large"][0] == pytest.approx(found["small"][0] * 1e13)


def test_one_gap_is_a_page(run: nsysql.Export) -> None:
    assert "GPU 0 was idle for 7.944 ms" in str(run.pages.idle_gaps(explain=3))
    with pytest.raises(UsageError, match="100 has no unit; write 100s or 100ns"):
        run.idle_gaps(min_gap_ns="100")


@pytest.mark.usefixtures("without_findings")
def test_captures_are_paths_or_open_exports(run: nsysql.Export) -> None:
    assert nsysql.ranks(run).document()
    brief, full = str(nsysql.compare(run, [run.path])), str(nsysql.compare(run, run, all=True))
    assert "From A to B" in full and "From A to B" not in brief  # as `nsysql compare` and its --all
    for ask in (lambda: nsysql.compare([], run), lambda: nsysql.ranks([])):
        with pytest.raises(UsageError, match="no capture is named"):
            ask()
