"""What editors are told of the queries."""

import pytest

from nsysql.catalog import stubs


def test_the_typed_functions_are_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NSYSQL_PACKS", raising=False)
    assert stubs.PATH.read_text(encoding="utf-8") == stubs.stubs(), (
        "write them anew with: python -m nsysql.catalog.stubs"
    )
