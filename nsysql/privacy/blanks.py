"""Find where a path ends in running text: folder names can contain spaces, brackets and the like."""

import re

from nsysql.privacy.endings import is_file

# A character of a file or folder name in running text.
NAME = r"""[^\s\x00-\x1f/\\:;,'"`<>|()\[\]{}=*?\u2018\u2019\u201c\u201d\xab\xbb]"""
SEPARATOR = re.compile(r"[\\/]+")
# Spaces, brackets and the like belong to a folder's name only if a separator follows them.
GAP = re.compile(
    rf"""(?P<gap>[^"`<>|;\\/\x00-\x1f]{{0,80}}+)(?:(?<={NAME})|(?<=[)\]}}*?]))(?P<names>(?:[\\/]++{NAME}*+)++)"""
)
BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
NO_GAP = re.compile(
    r"""[:,] |'(?!\w)|(?<=\W)'|[()\[\]{}]| (?:-(?! )|[~$%@.+|]|&&)| [\w.-]+=|\b[A-Za-z]:$"""
    r"""| (?:to|into|from|is|was|are|at|via|as|than|for|because|when|if|took|failed) """
)
WORDS = 5  # at most, of a folder's name after its first space
LONGEST = 260  # characters of a path in quotes
QUOTED = re.compile(rf"""(?<!\w)(["'`])([^"'`\n]{{0,{LONGEST}}})\1""")
RATIO = re.compile(
    r"\d+/\d+|\w/\w|\S+/(?:s|ms|us|ns|sec|second|min|hour|h|day|iter|step|op|call|byte|cycle|clk|core|gpu|device|rank"
    r"|block|warp|thread)|and/or|yes/no|on/off|true/false|enable/disable|read/write|write/read|input/output|load/store"
    r"|push/pop|send/recv|start/end|begin/end|host/device|forward/backward|client/server|tcp/ip|gnu/linux",
    re.IGNORECASE,
)


def end_of(text: str, end: int, names: str) -> int:
    """The end of a path whose `names` so far reach to `end`: after the name behind its last separator."""
    while not _ends_as_file(names):
        more = GAP.match(text, end)
        if (
            more is None
            or not _can_be_in_a_name(more["gap"])
            or RATIO.fullmatch(more["gap"].split()[-1] + more["names"])
        ):
            break
        end, names = more.end(), more["names"]
    return end


def quoted_paths(text: str) -> list[tuple[int, int]]:
    """The spans, last first, of paths with spaces that begin like any word and have a recognizable end.

    In quotes their first name may contain a space too; without quotes only a whole text counts.
    """
    if _is_path_with_blanks(text, first=0):
        return [(0, len(text))]
    return [q.span(2) for q in QUOTED.finditer(text) if _is_path_with_blanks(q[2], first=1)][::-1]


def _ends_as_file(names: str) -> bool:
    last = SEPARATOR.split(names)[-1]
    return not last or is_file(last, any_ending=True)


def _can_be_in_a_name(words: str) -> bool:
    """Whether words between two separators can belong to one folder's name."""
    return len(words.split()) <= WORDS and not NO_GAP.search(BRACKETS.sub("", words))


def _is_path_with_blanks(text: str, first: int) -> bool:
    """Whether a text is a path whose names contain spaces, the first of them at most `first`."""
    if len(text) > LONGEST or " " not in text or "\n" in text or not re.match(NAME, text):
        return False
    *folders, last = SEPARATOR.split(text)
    if not folders or folders[0].count(" ") > first or not is_file(last):
        return False
    return ":" not in text and all(name.strip() == name != "" and _can_be_in_a_name(name) for name in (*folders, last))
