"""Find file paths in a text, and tell them from other names with slashes.

A run is a word with separators in it: `/opt/x`, `a\\b`, JSON's `\\/srv\\/x`, `read/write`. It is a path if something
shows it: how it begins (`/`, `~/`, `../`, `$HOME/`, `C:\\`), how its last name ends (`run.py`), `..` or `.git` among
its folders, the option or variable before it (`--out-dir`, `DATA_DIR=`), or a path recorded elsewhere in the capture.
Names of model layers and ratios have slashes too: without evidence, a run is not a path.
"""

import re
from collections.abc import Callable, Collection, Iterator
from itertools import pairwise
from typing import NamedTuple

from nsysql.privacy.rules import LABELS, MESSAGES

ENDINGS = frozenset(  # of file names, which tell a path from the name of a layer or a ratio
    """
exe dll so dylib lib sys bin elf ptx cubin fatbin ko
py pyc pyx pyi ipynb c cc cpp cxx cu cuh h hh hpp hxx inl f90 f95 jl rs go java js ts mjs css htm html lua rb pl sh bash
bat cmd ps1 swift kt sql
csv tsv txt log md rst pdf doc docx xls xlsx ppt pptx json jsonl json5 ndjson yaml yml toml ini cfg conf xml
nsys-rep ncu-rep qdrep qdstrm sqlite sqlite3 db duckdb parquet arrow feather avro orc pb pbtxt onnx trt pt pth ckpt
safetensors gguf ggml pkl pickle joblib npy npz h5 hdf5 nc zarr fits dat tfrecord tfrecords lmdb
jpg jpeg png gif bmp tif tiff webp svg mp3 mp4 avi mkv mov wav flac zip tar gz tgz bz2 xz zst 7z rar whl jar deb rpm iso
stl obj vtk vtu usd exr dcm nii bam fastq fasta vcf tmp bak pid sock pem crt
""".split()  # noqa: SIM905
)
LONGEST_ENDING = 5  # characters of an extension that is not in ENDINGS


def is_file(name: str, any_ending: bool = False) -> bool:
    """Tell whether a name is a file name; `any_ending` if no names of model layers are expected.

    >>> [is_file(name) for name in ("run.py", "libx.so.12", "layers.0", "attn.proj")]
    [True, True, False, False]
    """
    stem, _, ending = name.rstrip(".!").rpartition(".")
    if not stem or ending.lower() in ENDINGS:
        return bool(stem)
    if ending[:1].isdigit():
        return is_file(stem)
    return any_ending and stem[0].isalpha() and len(ending) <= LONGEST_ENDING and ending.isalnum() and ending.islower()


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
    """Return the end of a path whose `names` so far reach to `end`: after the name behind its last separator."""
    while (last := SEPARATOR.split(names)[-1]) and not is_file(last, any_ending=True):
        more = GAP.match(text, end)
        if more is None or not _can_be_in_a_name(more["gap"]):
            break
        if RATIO.fullmatch(more["gap"].split()[-1] + more["names"]):
            break
        end, names = more.end(), more["names"]
    return end


def quoted_paths(text: str) -> list[tuple[int, int]]:
    """Return the spans, last first, of paths with spaces that begin like any word and have a recognizable end.

    In quotes their first name may contain a space too; without quotes only a whole text counts.
    """
    if _is_path_with_blanks(text, first=0):
        return [(0, len(text))]
    return [q.span(2) for q in QUOTED.finditer(text) if _is_path_with_blanks(q[2], first=1)][::-1]


def _can_be_in_a_name(words: str) -> bool:
    """Tell whether words between two separators can belong to one folder's name."""
    return len(words.split()) <= WORDS and not NO_GAP.search(BRACKETS.sub("", words))


def _is_path_with_blanks(text: str, first: int) -> bool:
    """Tell whether a text is a path whose names contain spaces, the first of them at most `first`."""
    if len(text) > LONGEST or " " not in text or "\n" in text or not re.match(NAME, text):
        return False
    *folders, last = SEPARATOR.split(text)
    if not folders or folders[0].count(" ") > first or not is_file(last):
        return False
    return ":" not in text and all(name.strip() == name != "" and _can_be_in_a_name(name) for name in (*folders, last))


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


class Hint(NamedTuple):
    """What the word before a path implies: a path follows, it would be a folder, and it is assigned with `=`."""

    path: bool
    folder: bool
    assigned: bool


def hint_before(text: str, end: int) -> Hint:
    """Return what the word before this position in a text implies.

    >>> hint_before("--out-dir=", 10)
    Hint(path=True, folder=True, assigned=True)
    """
    before = text[max(0, end - FAR) : end].rstrip("\"'\\")
    words = before.rstrip("\"' \t=:")
    sign = before[len(words) :]
    word = BREAK.split(words)[-1]
    if not sign or not word:
        return Hint(path=False, folder=word in FOLDER_FLAGS, assigned=False)
    lower = word.lower()
    last = PARTS.split(lower)[-1]
    is_folder, is_file = lower.endswith(FOLDERS), lower.endswith(FILES) or last in FILE_WORDS
    if sign.isspace():
        is_option = word[0] == "-" and (is_folder or is_file or last in OPTIONS or len(word) == len("-x"))
        return Hint(is_option or word in ENTERED, is_folder or word in ENTERED, assigned=False)
    is_value = "=" in sign or sign[0] in "\"'"  # NAME=, "name":
    is_list = "PATH" in word and "=" in word + sign and LIST.fullmatch(word) is not None
    is_path = is_list or word in ENTERED or (is_value and (is_folder or is_file))
    return Hint(is_path, is_list or is_folder, assigned="=" in sign)


VARIABLE = r"\$(?i:env:)?\w+|\$[{(]\w+[)}]|%\w+%"
RUN = re.compile(
    rf"(?<!{NAME})(?:(?P<uri>(?i:file):(?=/))|-{{1,2}}[A-Za-z][\w-]*(?=[/~$]|\.{{1,2}}[\\/]))?"  # not part of the path
    rf"(?P<path>(?:(?P<lead>~[\w.-]*|{VARIABLE}|/*[A-Za-z]:)(?=[\\/]))?(?P<names>{NAME}*+(?:[\\/]++{NAME}*+)++))"
)
HOMES = frozenset(("home", "home1", "home2", "Users"))
PLACE = re.compile(  # an NVTX text that begins with a source location: file.py:12 name, file.py(12): name
    r"(?P<path>(?:[A-Za-z]:)?[^:]*[\\/][^:\\/]*\.(?i:py|pyx|ipynb|c|cc|cpp|cxx|cu|cuh|h|hh|hpp|f|for|f\d\d|jl|rs))(?::\d|\(\d)"
)
OPEN = (")", "]", "}", ">", "*")  # before a slash: a division, a comment, the rest of a path whose folder was replaced
UNC = re.compile(rf"\\\\{NAME}+\\{NAME}|\\{{4}}{NAME}+\\\\{NAME}")  # \\server\share, and as JSON
SHARE = re.compile(rf"\\+{NAME}+\\+[^\\/]+")
NOTHING_PRIVATE = re.compile(rf"(?:~|{VARIABLE}|<[a-z]+\d*>)?[./\\\s]*")
REDIRECTED = re.compile(r"(?:^|\s)[0-9&]?>{1,2}$")
KERNEL = re.compile(  # kernel threads of Linux, which are listed as processes
    r"(?:kworker|ksoftirqd|migration|cpuhp|watchdog|irq|idle_inject|rcu\w*|jbd2|xfs[\w-]*|kdm\w+|kcryptd\w*|dmcrypt\w*"
    r"|i915|card\d|nvidia-\w+)/.*"
)


class Paths:
    """Replaces the folders in texts; `number` gives the replacement of each.

    `tops` are top-level folders, `pairs` are consecutive names in the paths recorded in the capture.
    """

    def __init__(self, number: Callable[[str], str], tops: Collection[str], pairs: Collection[tuple[str, str]]) -> None:
        self._number, self._tops, self._pairs = number, tops, pairs

    def whole(self, text: str) -> str:
        return text if KERNEL.fullmatch(text) else self._cut(text)

    def folder(self, text: str) -> str:
        return text if _is_harmless(text) else self._number(_key(text))

    def within(self, kind: str, text: str) -> str:
        if "/" not in text and "\\" not in text:
            return text
        if kind == LABELS and (place := PLACE.match(text)):
            return self._cut(place["path"]) + self.within(kind, text[place.end("path") :])
        out, at = [], 0
        for start, end, is_folder in self._spans(kind, text):
            path = text[start:end]
            is_folder &= not is_file(SEPARATOR.split(path)[-1])
            out += [text[at:start], self.folder(path) if is_folder else self._cut(path)]
            at = end
        return "".join([*out, text[at:]])

    def _cut(self, path: str) -> str:
        *_, last = [None, *SEPARATOR.finditer(path)]
        if last is None or _is_harmless(path[: last.start()]):
            return path
        return self._number(_key(path[: last.start()])) + path[last.start() :]

    def _spans(self, kind: str, text: str) -> Iterator[tuple[int, int, bool]]:
        """Yield the spans of the paths in a text, and whether each is a folder by the word before it."""
        quoted = quoted_paths(text)
        at, was_folder = 0, False
        for run in RUN.finditer(text):
            start = run.start("path")
            if start < at:
                continue
            while quoted and quoted[-1][1] <= start:
                quoted.pop()
            if quoted and at <= quoted[-1][0] <= start:
                begin, at = quoted.pop()
                was_folder = False
                yield begin, at, False
                continue
            before = hint_before(text, start)
            if self._is_path(kind, run, before):
                was_folder = before.folder or (was_folder and text[at:start] in (":", ";"))
                at = end_of(text, run.end(), run["names"])
                path = text[start:at]
                yield start, at, was_folder or (UNC.match(path) is not None and SHARE.fullmatch(path) is not None)

    def _is_path(self, kind: str, run: re.Match[str], before: Hint) -> bool:
        """Tell whether a run is a path, by its own form or by the word before it."""
        text = run["names"]
        names = [name for name in SEPARATOR.split(text) if name]
        if run["uri"] or run["lead"] or UNC.match(text) or ".." in names or names[:1] == ["."]:
            return True
        if any(name in HOMES for name in names[1:-1]) or any(name[0] == "." and name.strip(".") for name in names[:-1]):
            return True
        if text[0] in "\\/" and "/" in text and not _continues_expression(run):
            is_folder = len(names) > 1 or (bool(names) and text.endswith("/"))
            if is_folder and (kind == MESSAGES or names[0] in self._tops):
                return True
            if names and (before.path or before.folder or before.assigned):
                return True
        if len(names) < 2 or RATIO.fullmatch(text):
            return False
        return (
            is_file(names[-1], any_ending=kind == MESSAGES)
            or (kind == MESSAGES and text.endswith("/"))
            or _is_windows(text, names)
            or all(pair in self._pairs for pair in pairwise(names))
            or before.path
        )


def _continues_expression(run: re.Match[str]) -> bool:
    """Tell whether a run that begins with a slash continues what precedes it, such as a division."""
    before = run.string[max(0, run.start() - 4) : run.start()]
    return before.endswith(OPEN) and not REDIRECTED.search(before)


def _is_windows(text: str, names: list[str]) -> bool:
    r"""Tell whether the backslashes are separators, and not escapes as in `one\ntwo\n`."""
    return "/" not in text and len(names) > 2 and not all(name[0] in "nrtbfu0" for name in names[1:])


def _is_harmless(folder: str) -> bool:
    """Tell whether a folder consists of `.`, `..`, `~` or a variable only."""
    return NOTHING_PRIVATE.fullmatch(folder) is not None


def _key(folder: str) -> str:
    lead = SEPARATOR.match(folder)
    root = "" if lead is None else "/" if "/" in lead[0] else lead[0]
    return root + SEPARATOR.sub("/", folder[lead.end() if lead else 0 :]).rstrip("/")
