"""The examples in docstrings hold."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import nsysql

HOUSE = Path(nsysql.__file__).parent
WITH_EXAMPLES = [path for path in sorted(HOUSE.rglob("*.py")) if ">>> " in path.read_text()]


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: path.relative_to(HOUSE).as_posix())
def test_the_examples_of_a_module_hold(path: Path) -> None:
    module = ".".join(("nsysql", *path.relative_to(HOUSE).with_suffix("").parts))
    failed, tried = doctest.testmod(import_module(module))
    assert tried
    assert not failed
