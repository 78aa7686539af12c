"""Numbers as the user's locale writes them: 1,234,567.25 in English, 1.234.567,25 in German, as is in C."""

import locale
from functools import cache


@cache
def separators() -> tuple[str, str]:
    """The locale's thousands separator and decimal point. Does not change Python's own locale."""
    before = locale.setlocale(locale.LC_NUMERIC)
    try:
        locale.setlocale(locale.LC_NUMERIC, "")
        found = locale.localeconv()
        return (str(found["thousands_sep"]) if found["grouping"] else ""), str(found["decimal_point"])
    except (locale.Error, UnicodeDecodeError):
        return "", "."
    finally:
        locale.setlocale(locale.LC_NUMERIC, before)


def grouped(text: str, is_plain: str, thousands: str, point: str) -> str:
    """The SQL of a number's text with separators; other texts are unchanged."""
    if not thousands and point == ".":
        return text
    digits = f"regexp_extract({text}, '[0-9]+')"
    by_three = f"rtrim(regexp_replace(reverse({digits}), '([0-9]{{3}})', '\\1,', 'g'), ',')"
    whole = f"replace(reverse({by_three}), ',', '{_quoted(thousands)}')"
    fraction = f"replace(regexp_extract({text}, '\\..*'), '.', '{_quoted(point)}')"
    return f"CASE WHEN {is_plain} THEN regexp_extract({text}, '^[+-]?') || {whole} || {fraction} ELSE {text} END"


def _quoted(text: str) -> str:
    return text.replace("'", "''")
