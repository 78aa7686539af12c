"""Python stacks of a report: by blobs where nsys knows them, else from its JSON, into the export that is made of it."""

import base64
import json
import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import nsysql
from nsysql.capture.forms.nsys_report import payloads_are_missing

NSYS = """#!/bin/sh
echo "$*" >> "{folder}/log"
for word; do case $word in --output=*) out="${{word#--output=}}";; esac; done
case "$*" in
  *--help*) echo "{knows}";;
  *--type=json*) cp "{folder}/report.json" "$out";;
  *--include-blobs=true*) cp "{folder}/whole.sqlite" "$out";;
  *) cp "{folder}/bare.sqlite" "$out";;
esac
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the nsys of these tests is a shell script")


@pytest.fixture
def folder(story: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A report, what nsys makes of it with and without stacks, and its JSON."""
    monkeypatch.setenv("NSYSQL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NSYSQL_NSYS", str(tmp_path / "nsys"))
    (tmp_path / "run.nsys-rep").write_bytes(b"no report really")
    whole, bare = tmp_path / "whole.sqlite", tmp_path / "bare.sqlite"
    shutil.copy(story("lines_python"), whole)
    shutil.copy(whole, bare)
    db = sqlite3.connect(bare)
    marks = "SELECT start, globalTid, category, binaryData FROM NVTX_EVENTS WHERE eventType = 34"
    with (tmp_path / "report.json").open("w") as file:
        print(json.dumps({"data": ["a", "BinaryData"]}), file=file)
        print('{"Type":34,"NvtxEvent":{"Type":34,"Payload":{"BinaryData":[]}}}', file=file)
        print('no JSON with "BinaryData"', file=file)
        for start, thread, category, payload in db.execute(marks).fetchall():
            data = {"SchemaId": "4294967299", "Data": base64.b64encode(payload).decode()}
            event = {
                "Type": 34, "Timestamp": str(start), "Category": str(category), "Payload": {"BinaryData": [data]},
                "GlobalTid": str(thread), "DomainId": "1",
            }  # fmt: skip
            print(json.dumps({"Type": 34, "NvtxEvent": event}), file=file)
    db.execute("ALTER TABLE NVTX_EVENTS DROP COLUMN binaryData")
    db.commit()
    db.close()
    return tmp_path


def install(folder: Path, knows: str) -> None:
    """An nsys whose help for export says this."""
    (folder / "nsys").write_text(NSYS.format(folder=folder, knows=knows))
    (folder / "nsys").chmod(0o755)


@pytest.mark.parametrize("knows", ["--type= --include-blobs=", "--type="])
def test_an_export_of_a_report_has_its_stacks(folder: Path, knows: str) -> None:
    install(folder, knows)
    with nsysql.open(folder / "whole.sqlite") as plain, nsysql.open(folder / "run.nsys-rep") as run:
        assert run.lines().equals(plain.lines())
        assert run.python_samples().equals(plain.python_samples())
    called = (folder / "log").read_text()
    assert ("--type=json" in called) == ("blobs" not in knows)
    assert sorted(path.name for path in (folder / "cache").iterdir() if path.suffix != ".sqlite") == []


def test_a_json_without_stacks_changes_nothing(folder: Path) -> None:
    install(folder, "--type=")
    (folder / "report.json").write_text("[]\n")
    with nsysql.open(folder / "run.nsys-rep") as run:
        assert run.python_samples()["stacks"].sum() == 0
        assert run.lines()["gpu_ns"].sum() == 180


def test_only_exports_with_samples_and_no_stack_lack_them(folder: Path, story: Callable[[str], Path]) -> None:
    assert payloads_are_missing(folder / "bare.sqlite")
    assert not payloads_are_missing(folder / "whole.sqlite")
    assert not payloads_are_missing(story("nvtx_nested"))
    assert not payloads_are_missing(story("no_cuda"))
