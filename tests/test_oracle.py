"""Our reports are NVIDIA's, byte for byte: public exports that come with what `nsys stats` printed for them.

The folder is described in exports.py; where it is absent these tests are skipped. NAME/REPORT.csv.gz there is
NVIDIA's CSV; a report that was run with an option has the option at the end of its name.
"""

import gzip
from pathlib import Path

import pytest
from exports import corpus_folder, corpus_names

from nsysql.cli.entry import main

OPTIONS = {  # how a recorded name ends, and the options that it was run with
    "_nvtx-name_base": ":nvtx-name:base",
    "_nvtx-name": ":nvtx-name",
    "_base": ":base",
    "_mangled": ":mangled",
    "_rows-1": ":rows=-1",
    "_rows3": ":rows=3",
    "_ticks_threshold9999": ":ticks_threshold=9999",
}
RULES = {  # a recorded rule, and how it was asked for; the others were run with rows=-1
    "gpu_gaps_gap0": "gpu_gaps:rows=-1:gap=0",
    "gpu_gaps_gap1ms": "gpu_gaps:rows=-1:gap=1",
    "gpu_gaps_gap3ms": "gpu_gaps:rows=-1:gap=3",
    "gpu_gaps_rows3": "gpu_gaps:rows=3:gap=0",
    "gpu_time_util_all": "gpu_time_util:rows=-1:threshold=1000",
    "gpu_time_util_chunks7": "gpu_time_util:rows=-1:chunks=7:threshold=90",
    "gpu_time_util_rows2": "gpu_time_util:rows=2",
}
UNORDERED = {"openmp_sum"}  # NVIDIA breaks ties by memory addresses: the order changes from run to run


def recorded(export: str) -> dict[str, str]:
    """What NVIDIA printed for an export, by recorded name."""
    files = (corpus_folder() / "expected" / export).glob("*.csv.gz")
    return {
        path.name.removesuffix(".csv.gz"): gzip.decompress(path.read_bytes()).decode("utf-8", "surrogateescape")
        for path in sorted(files)
    }


def spelled(name: str) -> str:
    """The --report argument of a recorded name: um_sum_rows3 is um_sum:rows=3."""
    ending = next((e for e in OPTIONS if name.endswith(e)), None)
    return name.removesuffix(ending) + OPTIONS[ending] if ending else name


def lines(text: str, name: str) -> list[str]:
    """The lines of a CSV, in an order of their own where NVIDIA's order is none."""
    found = text.rstrip("\n").split("\n")
    return sorted(found) if name in UNORDERED else found


@pytest.mark.parametrize("export", corpus_names() or [None])
def test_the_reports_of_an_export_are_nvidias(export: str | None, corpus: Path, tmp_path: Path) -> None:
    expected = {name: text for name, text in recorded(str(export)).items() if not name.startswith("rule-")}
    asked = {name: spelled(name) for name in expected}
    arguments = ["stats", "-q", "-f", "csv", "-r", ",".join(asked.values()), "-o", str(tmp_path / "x")]
    with pytest.raises(SystemExit) as left:
        main([*arguments, str(corpus / f"{export}.sqlite")])
    different = []
    for name, report in asked.items():
        path = tmp_path / f"x_{report.replace(':', '_')}.csv"
        found = path.read_text(encoding="utf-8", errors="surrogateescape") if path.exists() else ""
        if lines(found, name) != lines(expected[name], name):
            different.append(name)
    assert different == []
    assert left.value.code == 0


@pytest.mark.parametrize("export", corpus_names() or [None])
def test_the_rules_of_an_export_are_nvidias(
    export: str | None, corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    different = []
    for name, text in recorded(str(export)).items():
        if not name.startswith("rule-"):
            continue
        rule = name.removeprefix("rule-")
        arguments = ["analyze", "-q", "-f", "csv", "-r", RULES.get(rule, f"{rule}:rows=-1"), "-o", "-"]
        with pytest.raises(SystemExit):
            main([*arguments, str(corpus / f"{export}.sqlite")])
        if lines(capsys.readouterr().out, rule) != lines(text, rule):
            different.append(name)
    assert different == []
