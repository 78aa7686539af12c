"""Tell by the word before a name with slashes whether it is a path: an option, a variable or a JSON key."""

import re
from typing import NamedTuple

FAR = 48  # characters searched for the word
FOLDERS = ("dir", "directory", "folder", "root", "home", "cwd", "pwd", "prefix", "workspace")
FILES = ("path", "file", "filename")
FILE_WORDS = frozenset("out output input config data dataset log logs checkpoint ckpt script".split())  # noqa: SIM905
OPTIONS = frozenset("in load save model".split())  # noqa: SIM905
ENTERED = ("cd", "pushd", "chdir", "directory", "folder")
FOLDER_FLAGS = ("-I", "-L")
LIST = re.compile(r"[A-Z0-9_]*PATH(?:=.*)?")  # PYTHONPATH=a:b
BREAK = re.compile(r"""[\s"'(,\[{]""")
PARTS = re.compile(r"[_.-]")


class Said(NamedTuple):
    """Whether the word says that a path follows, that it would be a folder, and that it is assigned with `=`."""

    path: bool
    folder: bool
    assigned: bool


NOTHING = Said(path=False, folder=False, assigned=False)


def said(text: str, end: int) -> Said:
    """What the word before this position in a text says.

    >>> said("--out-dir=", 10)
    Said(path=True, folder=True, assigned=True)
    """
    before = text[max(0, end - FAR) : end].rstrip("\"'\\")
    words = before.rstrip("\"' \t=:")
    sign = before[len(words) :]
    word = BREAK.split(words)[-1]
    if not sign or not word:
        return Said(path=False, folder=word in FOLDER_FLAGS, assigned=False)
    lower = word.lower()
    last = PARTS.split(lower)[-1]
    is_folder, is_file = lower.endswith(FOLDERS), lower.endswith(FILES) or last in FILE_WORDS
    if sign.isspace():
        is_option = word[0] == "-" and (is_folder or is_file or last in OPTIONS or len(word) == len("-x"))
        return Said(is_option or word in ENTERED, is_folder or word in ENTERED, assigned=False)
    is_value = "=" in sign or sign[0] in "\"'"  # NAME=, "name":
    is_list = "PATH" in word and "=" in word + sign and LIST.fullmatch(word) is not None
    is_path = is_list or word in ENTERED or (is_value and (is_folder or is_file))
    return Said(is_path, is_list or is_folder, assigned="=" in sign)
