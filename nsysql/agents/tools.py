"""Define the tools: questions about captures, answered with documents of bounded size."""

import builtins
import inspect
import re
import threading
from collections.abc import Mapping
from typing import Any

from nsysql.agents import answer as answers
from nsysql.agents.answer import Answer, rows_of, step
from nsysql.agents.captures import Captures
from nsysql.errors import ExportChanged, NsysqlError, UsageError, suggestion

NAMES = ("open", "findings", "explain", "query", "sql", "compare", "doctor", "list")
SIZE = "max_characters"  # an argument of every tool
ROWS = 20  # of a query, by default
FEW = 8  # findings of doctor, and queries affected by one, that are listed
READ = 100_000  # most rows of a SELECT that are read
COUNTS = ("limit", "top")  # arguments that are numbers of rows
KINDS = {"str": "string", "int": "integer", "dict": "object"}
ABOUT = {
    "capture": "Name or path of the capture; may be left out if only one is open.",
    "path": "A file below the server's folders; without it the answer lists them.",
    "part": "Number of a part, from findings.",
    "top": "How many findings.",
    "code": "Code of a finding, such as few-blocks.",
    "gap": "Number of a gap (gap_id).",
    "name": "A query or view, from list.",
    "parameters": "Its parameters by name; times are ns, or texts such as '1.5ms'.",
    "limit": "How many rows.",
    "text": "One SELECT over views and raw.TABLE.",
    "a": "The capture before.",
    "b": "The capture after.",
    "pack": "A pack of queries, or 'views'.",
    SIZE: f"Size of the answer, {answers.LEAST} to {answers.MOST} characters; {answers.LIMIT} by default.",
}


class Tools:
    """The tools by name. `call` is thread-safe; calls are serialized."""

    def __init__(self, captures: Captures) -> None:
        self._captures = captures
        self._turn = threading.Lock()

    def call(self, name: str, arguments: Mapping[str, Any], stop: threading.Event | None = None) -> tuple[str, bool]:
        """Return a tool's answer as JSON, and whether it succeeded; otherwise the JSON says why."""
        values = dict(arguments)
        try:
            tool = self._tool(name, values)
            limit = answers.read_limit(values.pop(SIZE, answers.LIMIT))
            with self._turn:
                self._captures.begin(stop or threading.Event())
                return answers.text_of(tool(**values), limit), True
        except ExportChanged as error:
            return answers.error_text(error, [step(name, "Asks the new file.", **arguments)]), False
        except (NsysqlError, OSError) as error:  # the system's errors name the file
            return answers.error_text(error), False

    def _tool(self, name: str, values: Mapping[str, Any]) -> Any:
        """Return the method of a tool. Raises UsageError for an unknown name or argument, or a value of wrong type."""
        if name not in NAMES:
            raise UsageError(f"There is no tool {name!r}; there is {', '.join(NAMES)}.{suggestion(name, NAMES)}")
        known = schema(name)["properties"]
        for key, value in values.items():
            if key not in known:
                raise UsageError(f"{name} has no argument {key!r}; it has {', '.join(known)}.{suggestion(key, known)}")
            kind = known[key]["type"]
            if kind != KINDS.get(type(value).__name__):
                raise UsageError(f"{name}: {key} is {value!r:.200}; it must be of type {kind}.")
            if key in COUNTS and not 1 <= value <= READ:
                raise UsageError(f"{name}: {key} is {value}; it must be from 1 to {READ:,}.")
        if missing := [key for key in schema(name)["required"] if key not in values]:
            raise UsageError(f"{name} needs {', '.join(missing)}: {ABOUT[missing[0]]}")
        return getattr(self, name)

    def open(self, path: str | None = None) -> Answer:
        """Open a capture: what it is, and how long. Without a path: the captures that can be opened."""
        if path is None:
            known = self._captures.known()
            next = [step("findings", "What limits this run.", capture=name) for name in known[:3]]
            listed: dict[str, Any] = {"open": self._captures.opened(), "captures": known}
            return Answer(listed, "captures", len(known), "give the server fewer folders", tuple(next))
        capture = self._captures.get(path)
        info = {key: value for key, value in capture.run.info.document().items() if key != "file"}
        gpus = capture.run.query("gpus") if capture.run.has("TARGET_INFO_GPU") else None
        tables = len(capture.run.info.tables)
        document = {"capture": capture.name, **info, "tables": tables, "gpus": [] if gpus is None else rows_of(gpus)}
        next = [
            step("findings", "What limits the run.", capture=capture.name),
            step("doctor", "What this capture can answer.", capture=capture.name),
        ]
        return Answer(document, "gpus", len(document["gpus"]), "query gpus", tuple(next))

    def findings(self, capture: str | None = None, part: int | None = None, top: int = 5) -> Answer:
        """What limits the run and what to do, by what it could save: begin with this. Parts of the capture (start-up,
        steps, ...) are judged by themselves. A possible finding is a question, saves_ns is a bound, once is not the
        loop."""
        one = self._captures.get(capture)
        every = one.findings
        ids = every.parts["part_id"].to_list()
        if part is not None and part not in ids:
            raise UsageError(f"There is no part {part}; there is {', '.join(map(str, ids))}.")
        chosen = [f for f in every.findings if f.shown and part in (None, *f.part_ids)]
        document = {
            "capture": one.name,
            "headline": every.headline,
            "parts": answers.parts(every, part),
            "findings": [answers.finding(f) for f in chosen[:top]],
            "not_known": every.unsure,
            "cannot_be_checked": sorted(every.missing),
        }
        if not chosen:
            document["none"] = "No rule found anything that takes a hundredth of its part."
        next = [step("explain", "The rule and its rows.", capture=one.name, code=f.code) for f in chosen[:2]]
        next.append(step("doctor", "What this capture cannot answer, and how to record it.", capture=one.name))
        return Answer(document, "findings", len(chosen), "findings with a larger top, or a part", tuple(next))

    def explain(self, code: str | None = None, gap: int | None = None, capture: str | None = None) -> Answer:
        """Why: the rule of a finding by its code with its rows as evidence, or one gap by its number with the causes
        of its time. Give either code or gap."""
        if (code is None) == (gap is None):
            raise UsageError("explain takes either code (of a finding) or gap (gap_id).")
        one = self._captures.get(capture)
        return answers.of_gap(one, gap) if gap is not None else answers.of_code(one, str(code))

    def query(
        self, name: str, parameters: dict[str, Any] | None = None, limit: int = ROWS, capture: str | None = None
    ) -> Answer:
        """The rows of a query or view by name; list has the names. Times are in ns from the start of the capture."""
        one = self._captures.get(capture)
        answer = one.run.answer(name, limit, **(parameters or {}))
        rows = rows_of(answer.frame)
        table = answers.table_of(one, name)
        key = {"key_table": table} if table and "row_id" in answer.frame.columns else {}
        document = {"capture": one.name, "query": name, **key, "rows": rows, "notes": [*answer.notes]}
        if not rows and not answer.total:
            document["none"] = answer.why_none()
        known = ", ".join(p.name for p in one.run.find(name).parameters) or "start_ns, end_ns, nvtx, steps"
        more = f"query with a larger limit or max_characters, or parameters: {known}"
        return Answer(document, "rows", answer.total, more, answers.after_rows(one, rows, table))

    def sql(self, text: str, limit: int = ROWS, capture: str | None = None) -> Answer:
        """The rows of one SELECT (DuckDB) over the views and raw.TABLE of a capture; raw tables have rowid."""
        one = self._captures.get(capture)
        frame = one.run.sql(text, rows=READ + 1)
        total = frame.height if frame.height <= READ else None
        rows = rows_of(frame.head(limit))
        document = {"capture": one.name, "rows": rows}
        more = "sql with a larger limit, a WHERE, or sums"
        return Answer(document, "rows", total, more, answers.after_rows(one, rows))

    def compare(self, a: str, b: str) -> Answer:
        """What changed from capture or digest a to b: verdict, and the difference as a sum of accounts."""
        from nsysql.analysis.compare.compare import Options, compared
        from nsysql.analysis.digest_file import is_digest, read
        from nsysql.digest.gather import comparable
        from nsysql.pages.compare import document as compared_document

        names, digests, exports = [], [], []
        for side in (a, b):
            path = self._captures.find(side)
            names.append(self._captures.name(path))
            if not is_digest(path):
                exports.append(names[-1])
            digests.append([read(path) if is_digest(path) else comparable(self._captures.get(side).run)])
        comparison = compared(digests[0], digests[1], Options(None, None, 0.01, None))
        whole = {**compared_document(comparison), "notes": [*comparison.reasons]}
        large = ("gpus", "work", "window", "calls", "ranges", "functions", "launches", "method")
        document = {"a": names[0], "b": names[1], **{key: of for key, of in whole.items() if key not in large}}
        next = [step("findings", "What limits this side.", capture=name) for name in exports]
        return Answer(document, "accounts", len(document["accounts"]), "a larger max_characters", tuple(next))

    def doctor(self, capture: str | None = None) -> Answer:
        """What the capture can and cannot answer, and the option of nsys that records what is missing. Reads every
        table."""
        from nsysql.pages.doctor import document as examined
        from nsysql.pages.examination import ANSWERED, collect

        one = self._captures.get(capture)
        examination = collect(one.run)
        whole = examined(examination)
        lacking = sorted(
            (of for of in examination.answers if of.verdict != ANSWERED), key=lambda of: of.verdict, reverse=True
        )
        options = sorted({lack.option for of in lacking for lack in of.lacks if lack.option and not lack.was_on})
        answer: dict[str, Any] = {key: whole[key] for key in ("can_be_analysed", "events", "damaged")}
        answer["findings_total"] = len(whole["findings"])
        answer["findings"] = [
            {**of, "touches": of["touches"][:FEW], "touches_total": len(of["touches"])}
            for of in whole["findings"][:FEW]
        ]
        rows = [{key: value for key, value in of.row.items() if value} for of in lacking]
        answer |= {"capture": one.name, "record_with": options, "lacking": rows}
        next = (step("list", "The queries that there are."),)
        return Answer(answer, "lacking", len(lacking), "doctor with a larger max_characters", next)

    def list(self, pack: str | None = None) -> Answer:
        """List the packs of queries; for one pack its queries with parameters, for 'views' the views with columns."""
        from nsysql.catalog.packs import public_views, read_views
        from nsysql.catalog.query_file import read_query

        queries = [read_query(path) for path in self._captures.queries.values()]
        packs: dict[str, builtins.list[str]] = {}
        for query in queries:
            packs.setdefault(query.pack, []).append(query.name)
        if pack is None:
            rows: Any = [{"pack": name, "queries": names} for name, names in packs.items()]
            rows.append({"pack": "views", "queries": [*public_views()]})
        elif pack == "views":
            views = [read_views()[name] for name in public_views()]
            rows = [{"name": of.name, "row": of.summary, "columns": ", ".join(of.column_names)} for of in views]
        elif pack in packs:
            rows = []
            for query in (query for query in queries if query.pack == pack):
                parameters = {p.name: f"{p.type} {p.doc}" for p in query.parameters}
                given = {"parameters": parameters} if parameters else {}
                rows.append({"name": query.name, "row": query.summary, **given})
        else:
            known = [*packs, "views"]
            raise UsageError(f"There is no pack {pack!r}; there is {', '.join(known)}.{suggestion(pack, known)}")
        next = () if pack else (step("list", "What a row is, and the parameters.", pack="idle"),)
        return Answer({"rows": rows}, "rows", len(rows), "list with a pack or a larger max_characters", next)


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments, from its signature."""
    properties: dict[str, Any] = {}
    required = []
    for key, parameter in inspect.signature(getattr(Tools, name)).parameters.items():
        if key == "self":
            continue
        kind = re.match(r"\w+", inspect.formatannotation(parameter.annotation))
        properties[key] = {"type": KINDS[kind[0] if kind else "str"], "description": ABOUT[key]}
        if key in COUNTS:
            properties[key] |= {"minimum": 1, "maximum": READ}
        if parameter.default is inspect.Parameter.empty:
            required.append(key)
        elif parameter.default is not None:
            properties[key]["default"] = parameter.default
    properties[SIZE] = {"type": "integer", "description": ABOUT[SIZE]}
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def description(name: str) -> str:
    return " ".join((getattr(Tools, name).__doc__ or "").split())
