"""JSON Schemas of the documents that pages give, merged from examples.

A schema says which keys every document has, and the types of values. Keys may be added without a new number of the
page's schema, so others are allowed. Rows come from queries, whose columns can be NULL: their values may be null.
"""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "docs" / "schemas"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]
TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
UNITS = {
    "_ns": "nanoseconds", "_bytes": "bytes", "_pct": "percent, 0 to 100", "_bytes_per_s": "bytes per second",
    "_hz": "hertz",
}  # fmt: skip
ROWS = ("gap", "totals")  # objects that are a row of a query
ANY = ["array", "boolean", "null", "number", "object", "string"]  # of what is null in all examples
MAPS = ("damaged", "missing")  # objects whose keys are names, not fields
EXACT = ("_id", "_count", "count", "instances", "tid", "pid")  # whole numbers, where others may be fractions


def schema_of(value: Any, key: str = "", in_row: bool = False) -> Schema:
    """The schema of one example."""
    if isinstance(value, dict) and key in MAPS:
        of = merged([schema_of(one) for one in value.values()])
        return {"type": ["object"], "additionalProperties": of or {"type": ["string"]}}
    if isinstance(value, dict):
        properties = {name: schema_of(one, name, in_row or key in ROWS) for name, one in value.items()}
        return {"type": ["object"], "properties": properties, "required": sorted(value)}
    if isinstance(value, list):
        return {"type": ["array"], "items": merged([schema_of(one, key, isinstance(one, dict)) for one in value])}
    types = {TYPES[type(value)], *(["null"] if in_row else [])}
    if "integer" in types and not key.endswith(EXACT):
        types = types - {"integer"} | {"number"}
    unit = next((text for end, text in UNITS.items() if key.endswith(end)), None)
    return {"type": sorted(types), **({"description": unit} if unit else {})}


def merged(schemas: list[Schema]) -> Schema:
    """The schema that all these examples satisfy; of none {}."""
    known = [schema for schema in schemas if schema]
    if not known:
        return {}
    types = {kind for schema in known for kind in schema["type"]}
    types -= {"integer"} if "number" in types else set()
    result: Schema = {"type": sorted(types)}
    result |= {key: schema[key] for schema in known for key in ("description",) if key in schema}
    objects = [schema for schema in known if "properties" in schema]
    if objects:
        names = dict.fromkeys(name for schema in objects for name in schema["properties"])
        parts = {name: [of["properties"][name] for of in objects if name in of["properties"]] for name in names}
        result["properties"] = {name: merged(of) for name, of in sorted(parts.items())}
        result["required"] = sorted(set.intersection(*(set(schema["required"]) for schema in objects)))
    if any("additionalProperties" in schema for schema in known):
        result["additionalProperties"] = merged([schema.get("additionalProperties", {}) for schema in known])
    if any("items" in schema for schema in known):
        result["items"] = merged([schema.get("items", {}) for schema in known])
    return result


def read(name: str) -> Schema:
    """The schema of a page; {} if there is none yet."""
    path = FOLDER / f"{name}.json"
    return _types(json.loads(path.read_text(encoding="utf-8")), list) if path.exists() else {}


def add(name: str, document: Any) -> None:
    """Extend the schema of a page by an example."""
    known = {key: value for key, value in read(name).items() if key not in ("$schema", "title")}
    whole = merged([known, schema_of(document)])
    if whole != known:
        FOLDER.mkdir(exist_ok=True)
        text = json.dumps(_types({"$schema": DRAFT, "title": name, **whole}, str), indent=1, ensure_ascii=False)
        (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def _types(schema: Schema, form: type) -> Schema:
    """The schema with single types as text, as people write them, or all as lists."""

    def changed(key: str, value: Any) -> Any:
        if key == "type" and not isinstance(value, dict):
            names = [value] if isinstance(value, str) else value
            names = ANY if names == ["null"] else names
            return names[0] if form is str and len(names) == 1 else names
        if key == "properties":
            return {name: _types(one, form) for name, one in value.items()}
        return _types(value, form) if isinstance(value, dict) else value

    return {key: changed(key, value) for key, value in schema.items()}
