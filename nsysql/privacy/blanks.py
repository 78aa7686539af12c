"""Where a path ends in running text: the names of its folders can have blanks, brackets and the like in them."""

import re

from nsysql.privacy.endings import is_file

# A character of a path's name in running text.
NAME = r"""[^\s\x00-\x1f/\\:;,'"`<>|()\[\]{}=*?\u2018\u2019\u201c\u201d\xab\xbb]"""
SEPARATOR = re.compile(r"[\\/]+")
# A folder's name can have blanks, brackets and the like in it, which only a separator behind them shows.
GAP = re.compile(
    rf"""(?P<gap>[^"`<>|;\\/\x00-\x1f]{{0,80}}+)(?:(?<={NAME})|(?<=[)\]}}*?]))(?P<names>(?:[\\/]++{NAME}*+)++)"""
)
BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
NO_GAP = re.compile(
    r"""[:,] |'(?!\w)|(?<=\W)'|[()\[\]{}]| (?:-(?! )|[~$%@.+|]|&&)| [\w.-]+=|\b[A-Za-z]:$"""
    r"""| (?:to|into|from|is|was|are|at|via|as|than|for|because|when|if|took|failed) """
)
WORDS = 5  # of a folder's name behind its first blank, at most
LONGEST = 260  # characters of a path in quotes
QUOTED = re.compile(rf"""(?<!\w)(["'`])([^"'`\n]{{0,{LONGEST}}})\1""")
RATIO = re.compile(
    r"\d+/\d+|\w/\w|\S+/(?:s|ms|us|ns|sec|second|min|hour|h|day|iter|step|op|call|byte|cycle|clk|core|gpu|device|rank"
    r"|block|warp|thread)|and/or|yes/no|on/off|true/false|enable/disable|read/write|write/read|input/output|load/store"
    r"|push/pop|send/recv|start/end|begin/end|host/device|forward/backward|client/server|tcp/ip|gnu/linux",
    re.IGNORECASE,
)


def end_of(text: str, end: int, names: str) -> int:
    """Where a path ends of which `names` reach to `end`: behind the last separator that is still of it, and a name."""
    while not _ends_as_file(names):
        more = GAP.match(text, end)
        if more is None or not _is_of_a_name(more["gap"]) or RATIO.fullmatch(more["gap"].split()[-1] + more["names"]):
            break
        end, names = more.end(), more["names"]
    return end


def quoted_paths(text: str) -> list[tuple[int, int]]:
    """Where paths are, the last first, that have blanks, begin like any other word, and whose end is seen.

    In quotes their first name may have a blank too; without quotes only a text as a whole is one.
    """
    if _is_path_with_blanks(text, first=0):
        return [(0, len(text))]
    return [q.span(2) for q in QUOTED.finditer(text) if _is_path_with_blanks(q[2], first=1)][::-1]


def _ends_as_file(names: str) -> bool:
    last = SEPARATOR.split(names)[-1]
    return not last or is_file(last, any_ending=True)


def _is_of_a_name(words: str) -> bool:
    """Whether words between two separators can be of one folder's name."""
    return len(words.split()) <= WORDS and not NO_GAP.search(BRACKETS.sub("", words))


def _is_path_with_blanks(text: str, first: int) -> bool:
    """Whether a text is a path of names with blanks, in the first of them so many at most."""
    if len(text) > LONGEST or " " not in text or "\n" in text or not re.match(NAME, text):
        return False
    *folders, last = SEPARATOR.split(text)
    if not folders or folders[0].count(" ") > first or not is_file(last):
        return False
    return ":" not in text and all(name.strip() == name != "" and _is_of_a_name(name) for name in (*folders, last))
