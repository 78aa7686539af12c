"""Options in nsys's style: without a value (`--force-overwrite`), or with several (`--with b1 b2`)."""

from collections.abc import Collection, Mapping

Implied = Mapping[str, tuple[str, tuple[str, ...]]]  # by option: the default value, the values it can have (none: any)


def completed(arguments: list[str], implied: Implied) -> list[str]:
    """The arguments with default values inserted.

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


def repeated(arguments: list[str], several: Collection[str]) -> list[str]:
    """The arguments with an option of several values repeated before each of them.

    >>> repeated(["a", "--with", "b", "c", "-q"], {"--with"})
    ['a', '--with', 'b', '--with', 'c', '-q']
    """
    done: list[str] = []
    option = None
    for i, argument in enumerate(arguments):
        if argument.startswith("-") and argument != "-":
            option = argument if argument in several else None
        elif option and arguments[i - 1] != option:
            done.append(option)
        done.append(argument)
    return done


def _is_value(text: str | None, known: tuple[str, ...]) -> bool:
    if text is None or (known and text.lower() not in known):
        return False
    return not text.startswith("-")
