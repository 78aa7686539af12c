"""The columns that nsysql's own queries read, as stored with the package."""

import json
from pathlib import Path

import pytest

from nsysql.api import column_usage
from nsysql.capture import stored_columns
from nsysql.capture.column_usage import ColumnUsage
from nsysql.catalog.packs import own_queries
from nsysql.catalog.parameters import bind


def test_the_stored_columns_are_up_to_date() -> None:
    assert stored_columns.PATH.read_text(encoding="utf-8") == column_usage.text(), (
        "write them anew with: python -m nsysql.api.column_usage"
    )


@pytest.mark.parametrize("text", [None, json.dumps({"digest": "of other SQL", "columns": {"gpu_gaps": {}}})])
def test_what_is_stored_for_other_sql_does_not_count(
    text: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "stored_columns.json"
    if text is not None:
        path.write_text(text)
    query = next(query for query in own_queries() if query.name == "gpu_gaps")
    known = ColumnUsage().columns(query, bind(query, {}))
    monkeypatch.setattr(stored_columns, "PATH", path)
    stored_columns.stored.cache_clear()
    try:
        assert stored_columns.stored() == {}
        assert ColumnUsage().columns(query, bind(query, {})) == known != {}
    finally:
        stored_columns.stored.cache_clear()
