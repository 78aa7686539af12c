"""`nsysql skill`: how agents use nsysql, as SKILL.md or as a section of AGENTS.md."""

from importlib.resources import files
from typing import Any

from nsysql.cli.options import FILE, formats, with_options
from nsysql.cli.output import opened

SKILL, SECTION = "skill", "agents"


def _skill(format: Any, output: str) -> None:
    """How an agent uses nsysql, on one page: SKILL.md, or with -f agents a section for AGENTS.md."""
    text = files("nsysql.agents").joinpath("SKILL.md").read_text(encoding="utf-8")
    if str(format or SKILL) == SECTION:
        text = text.partition("\n---\n")[2].lstrip().replace("\n## ", "\n### ").replace("# nsysql", "## nsysql", 1)
    with opened(output) as file:
        file.write(text.encode())


skill = with_options(_skill, [formats((SKILL, SECTION), SKILL), FILE])
