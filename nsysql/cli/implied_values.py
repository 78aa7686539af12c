"""Options whose value can be left out, as nsys has them: `--force-overwrite` is `--force-overwrite true`."""

from collections.abc import Mapping

Implied = Mapping[str, tuple[str, tuple[str, ...]]]  # by option: the value left out, the values it can have (none: any)


def completed(arguments: list[str], implied: Implied) -> list[str]:
    """The arguments with the values that were left out.

    >>> completed(["--help-reports", "-q"], {"--help-reports": ("", ())})
    ['--help-reports', '', '-q']
    """
    done: list[str] = []
    for i, argument in enumerate(arguments):
        done.append(argument)
        if argument == "--":
            return done + arguments[i + 1 :]
        value, known = implied.get(argument, (None, ()))
        following = arguments[i + 1] if i + 1 < len(arguments) else None
        if value is not None and not _is_value(following, known):
            done.append(value)
    return done


def _is_value(text: str | None, known: tuple[str, ...]) -> bool:
    if text is None or (known and text.lower() not in known):
        return False
    return not text.startswith("-")
