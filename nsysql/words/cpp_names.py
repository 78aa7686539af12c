"""Parse a C++ function's name, as nsys and cu++filt write it: namespaces, template arguments, parameters."""

import re
from dataclasses import dataclass
from functools import lru_cache

DEEPEST = 60  # nesting of template arguments; compilers write no more, and Python's recursion is limited
LITERAL = re.compile(r"-?\d+(?:\.\d+)?[a-zA-Z]*(?![\w:<(])|true\b|false\b|'.'")
CAST = re.compile(r"\(([\w: ]+)\)(-?\d+)[a-zA-Z]*")
NAMELESS = re.compile(r"<unnamed>|\(anonymous namespace\)|\{anonymous\}|<anonymous>")
LAMBDA = re.compile(r"[\[{]'?lambda\w*'?(?=\()|\{unnamed type#\d+\}|<lambda(?=\()")
LAMBDA_END = re.compile(r" ?(?:\(instance (\d+)\))?(?:#(\d+))?[\]}>]")
OPERATOR = re.compile(r"operator ?(\(\)|\[\]|[-+*/%^&|~!=<>]{1,3}|\w[\w ]*)")
WORD = re.compile(r"[\w$~.@\"]+")
SIZED = {"unsigned", "signed", "long", "short"}
OF_SIZE = {"int", "char", "long", "short", "double", "__int128"}


class _Unreadable(Exception):
    """The text is not a C++ name."""


@dataclass
class Part:
    """One component between two `::`: a name with its template arguments and parameters, if any."""

    name: str = ""
    arguments: "list[Name] | None" = None
    parameters: "list[Name] | None" = None
    instance: str = ""  # of a lambda; its name is empty


@dataclass
class Name:
    """A qualified name, or a literal: its text, and the type it is cast to."""

    parts: list[Part]
    literal: str | None = None
    cast: str = ""
    is_pointer: bool = False


@lru_cache(maxsize=2048)  # a page shows a name many times
def read_name(text: str) -> Name | None:
    """Return the parts of a name, without its return type; None if the text is not a C++ name."""
    try:
        reader = _Reader(text)
        name = reader.name("", 0)
    except (_Unreadable, IndexError):
        return None
    return name if reader.at == len(text) else None


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def name(self, ends: str, depth: int) -> Name:
        """Read a name or literal, up to one of the characters `ends` or the end of the text."""
        if depth > DEEPEST:
            raise _Unreadable
        self._take(r"[ &]*")
        if match := CAST.match(self.text, self.at):
            self.at = match.end()
            return Name([], match[2], match[1])
        if match := LITERAL.match(self.text, self.at):
            self.at = match.end()
            return Name([], match[0].rstrip("uUlL") or match[0])
        name = Name([Part()])
        while self.at < len(self.text) and self.text[self.at] not in ends:
            self._step(name, depth)
        return name

    def _step(self, name: Name, depth: int) -> None:
        part, text = name.parts[-1], self.text
        if text.startswith("::", self.at):
            self.at += 2
            name.parts.append(Part())
        elif match := NAMELESS.match(text, self.at):
            self.at = match.end()
        elif match := LAMBDA.match(text, self.at):
            self.at = match.end()
            part.parameters = self._list("(", ")", depth) if text[self.at : self.at + 1] == "(" else []
            ended = LAMBDA_END.match(text, self.at) if match[0][-1] != "}" else match
            if not ended:
                raise _Unreadable
            self.at = ended.end()
            part.instance = next(filter(None, ended.groups()), "1") if ended is not match else "1"
        elif match := OPERATOR.match(text, self.at):
            self.at = match.end()
            part.name = "operator"
        elif text[self.at] == "<":
            part.arguments = self._list("<", ">", depth)
        elif text[self.at] == "(":
            part.parameters = self._list("(", ")", depth)
        elif text[self.at] in "*&":
            self.at += 1
            name.is_pointer = True
        elif text[self.at] == " ":
            self._take(" +")
        elif text.startswith("...", self.at):
            self.at += 3
        else:
            self._word(name)

    def _word(self, name: Name) -> None:
        """Read a word: one more of a type's words (unsigned long), or, after a return type, the name itself."""
        match = WORD.match(self.text, self.at)
        if not match:
            raise _Unreadable
        self.at = match.end()
        word, part = match[0], name.parts[-1]
        if word in ("const", "volatile"):
            return
        if part.name.split(" ")[-1] in SIZED and word in OF_SIZE:
            part.name += f" {word}"
        elif part.name or part.arguments or part.parameters:
            name.parts, name.is_pointer = [Part(word)], False
        else:
            part.name = word

    def _list(self, begin: str, end: str, depth: int) -> list[Name]:
        """Read the comma-separated names between brackets."""
        assert self.text[self.at] == begin
        self.at += 1
        names = []
        while self.text[self.at] != end:
            names.append(self.name(f",{end}", depth + 1))
            self._take(r"[, ]*")
        self.at += 1
        return names

    def _take(self, pattern: str) -> None:
        match = re.compile(pattern).match(self.text, self.at)
        self.at = match.end() if match else self.at
