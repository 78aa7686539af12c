"""What the catalog reads of nsysql's own files: each once in a process, and all that stored rows depend on."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Ran

import nsysql
from nsysql.capture.frame_views import digest_of, fingerprint
from nsysql.catalog.header import own_folder
from nsysql.catalog.packs import find_packs, query_paths, read_views
from nsysql.catalog.query_file import read_query, thresholds
from nsysql.catalog.raw_schema import read_raw

COMPUTE = Path(nsysql.__file__).parent / "analysis"
MARKED = [  # one of every folder: files that stored rows depend on
    *(
        next(folder.glob("*.py"))
        for folder in [COMPUTE, *COMPUTE.rglob("*")]
        if folder.name in ("compute", "idle", "nvtx")
    ),
    *(next(folder.glob("*.sql")) for folder in [own_folder() / "views", own_folder() / "views" / "internal"]),
    own_folder() / "raw.sql",
]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Copies of the folders that the fingerprint is made of."""
    folder = tmp_path_factory.mktemp("own")
    own = {"compute": COMPUTE, "sql": own_folder()}
    return tuple(  # type: ignore[return-value]
        shutil.copytree(own[name], folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("sql", "compute")
    )


def test_a_copy_has_the_fingerprint_of_what_it_is_a_copy_of(folders: tuple[Path, Path]) -> None:
    assert digest_of(*folders) == fingerprint()


@pytest.mark.parametrize("changed", MARKED, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_change_of_what_rows_come_from_changes_the_fingerprint(changed: Path, folders: tuple[Path, Path]) -> None:
    sql, compute = folders
    is_python = changed.is_relative_to(COMPUTE)
    copy = compute / changed.relative_to(COMPUTE) if is_python else sql / changed.relative_to(own_folder())
    text = copy.read_text(encoding="utf-8")
    copy.write_text(f"{text}\n", encoding="utf-8")
    assert digest_of(sql, compute) != fingerprint()
    copy.write_text(text, encoding="utf-8")


def test_a_module_in_a_new_folder_changes_the_fingerprint(folders: tuple[Path, Path]) -> None:
    sql, compute = folders
    new = compute / "deep" / "deeper" / "new.py"
    new.parent.mkdir(parents=True)
    new.touch()
    assert digest_of(sql, compute) != fingerprint()
    shutil.rmtree(compute / "deep")


def test_our_own_files_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_paths(find_packs())["idle_gaps"]
    asked = [lambda name=name: read_views()[name] for name in read_views()]
    first = [read_query(query), *(ask() for ask in asked)]

    def touched(path: Path, *_: object, **__: object) -> None:
        raise AssertionError(f"{path} is asked for again")

    for method in ("stat", "read_text", "exists", "is_file", "open", "resolve"):
        monkeypatch.setattr(Path, method, touched)
    again = [read_query(query), *(ask() for ask in asked)]
    assert all(one is other for one, other in zip(first, again, strict=True))


def test_a_query_of_a_pack_is_read_again_when_it_changes(
    run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path
) -> None:
    path = tmp_path / "mine.sql"
    text = "-- A row.\n-- Columns\n--     x  BIGINT  -- It.\nSELECT 1::BIGINT AS x\nORDER BY x\n"
    path.write_text(text, encoding="utf-8")
    with nsysql.open(story("two_streams"), packs=[tmp_path]) as export:
        assert export.query("mine").rows() == [(1,)]
        path.write_text(text.replace("1::", "20::"), encoding="utf-8")
        assert export.query("mine").rows() == [(20,)]


def test_a_query_as_another_one_has_its_parameters_and_columns() -> None:
    own, other = (
        read_query(own_folder() / "graphics" / f"{name}.sql") for name in ("dx12_pix_sum", "vulkan_marker_sum")
    )
    assert "api = 'dx12'" in own.sql
    assert (own.parameters, own.columns) == (other.parameters, other.columns)
    syscall = read_query(own_folder() / "os" / "syscall_sum.sql")
    assert syscall.columns[-1].doc == "System call."


def test_a_line_stands_for_columns_of_another_file() -> None:
    columns = read_query(own_folder() / "cuda" / "cuda_api_sum.sql").columns
    assert [(c.name, c.label) for c in columns[3:8]] == [
        ("avg_ns", "Avg (ns)"), ("med_ns", "Med (ns)"), ("min_ns", "Min (ns)"), ("max_ns", "Max (ns)"),
        ("stddev_ns", "StdDev (ns)"),
    ]  # fmt: skip
    kernel, ids = read_views()["kernel"], read_views()["_kernel_ids"]
    assert kernel.columns[: len(ids.columns)] == ids.columns
    of_gap = {p.name: p.doc for p in read_query(own_folder() / "idle" / "idle_gaps.sql").parameters}
    assert of_gap["gpu"] == "Only this GPU."


def test_a_line_with_cause_stands_for_a_line_of_each_cause() -> None:
    gaps = read_query(own_folder() / "idle" / "idle_gaps.sql")
    docs = {c.name: c.doc for c in gaps.columns}
    assert (
        docs["gil_wait_ns"] == "Waiting for Python's lock: the launching thread waited for the global interpreter lock."
    )
    assert [name for name in docs if f"AS {name}" in gaps.sql][-30:] == [*docs][-30:]
    assert "CAUSE" not in gaps.sql


def test_a_threshold_in_capitals_stands_for_its_value() -> None:
    part_gaps = read_query(own_folder() / "idle" / "part_gaps.sql")
    assert ">= 200000::BIGINT" in part_gaps.sql
    assert "thresholds" not in part_gaps.sources
    assert thresholds()["link_bytes_per_s"] == ("12e9::DOUBLE", "12e9")
    assert len(thresholds()) == len(read_views()["thresholds"].columns)


def test_a_line_with_table_stands_for_a_select_of_each_table() -> None:
    openmp = read_views()["openmp_event"]
    assert openmp.needs == (tuple(name for name in read_raw() if name.startswith("OPENMP_EVENT_KIND_")),)
    assert openmp.sql.count("UNION ALL BY NAME") == len(openmp.needs[0]) - 1
    assert {"NVTX_EVENTS", "NET_NIC_METRIC"} < read_views()["_timed_event"].sources
    assert not {"StringIds", "DIAGNOSTIC_EVENT"} & read_views()["_timed_event"].sources


def test_a_query_can_have_the_sql_of_one_of_another_folder() -> None:
    sql = read_query(own_folder() / "cuda" / "cuda_api_sum.sql").sql
    assert "FROM _api_call_ids" in sql and "min(_api_name.name)" in sql and "string" not in sql
