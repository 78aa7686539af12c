"""Truncate texts that are too long for their column so that they stay distinct."""

import re
from collections.abc import Iterable, Sequence
from os.path import commonprefix

from nsysql.words.quantities import columns_of

ARGUMENTS = 12  # columns for template arguments; with fewer, the name's namespaces are dropped
LEAST_ARGUMENTS = 3  # columns for template arguments; with fewer, the name itself is cut
COMMON_PREFIX = 3  # characters shown before the first in which names differ
TEMPLATE = re.compile(r"<(?!unnamed>)")
FUNCTION = re.compile(r"([\w:~]+)\(.+?\)( \([^()]*\))?")  # with parameters, and its module


def cut(text: str, width: int) -> str:
    """Cut the text to at most `width` terminal columns, with an ellipsis for its middle if it is longer.

    The end of a number never stands alone, as it would be read as another number.

    >>> cut("void gemm<float, 128>(float *)", 15), cut("24 repeats of 83.79 ms", 16)
    ('void ge…loat *)', '24 repea… ms')
    """
    if columns_of(text) <= width:
        return text
    from rich.cells import set_cell_size

    tail = (width - 1) // 2
    head = set_cell_size(text, width - 1 - tail)
    end = text[-tail:] if tail else ""
    while columns_of(end) > tail:
        end = end[1:]
    if re.match(r"\d[\d.,]|[.,]\d", text[-len(end) - 1 :]):
        end = end.lstrip("0123456789.,")
    return f"{head}…{end}"


def beginning(text: str, letters: int) -> str:
    """Return the beginning of the text in this many letters, with an ellipsis if it is longer; empty for 0 letters."""
    return text if len(text) <= letters else text[: letters - 1] + "…" if letters > 0 else ""


def cut_name(text: str, width: int) -> str:
    """Cut like `cut`, but keep the name of a C++ function or template if possible, and drop its namespaces first.

    >>> cut_name("void at::native::gemm_kernel<float, (int)128, (int)64>", 32), cut_name("vectorized_layer…<float>", 12)
    ('gemm_kernel<float, (int)128, …>', 'vectorized_…')
    >>> cut_name("fill(Matrix, std::vector<float>) (a.out)", 24)
    'fill(…) (a.out)'
    """
    if columns_of(text) > width and (function := FUNCTION.fullmatch(text)):
        text = f"{function[1]}(…){function[2] or ''}"
    if columns_of(text) <= width or not TEMPLATE.search(text):
        return cut(text, width)
    name, arguments = TEMPLATE.split(_without_namespaces(text, width), maxsplit=1)
    room = width - columns_of(name) - 1
    if room >= LEAST_ARGUMENTS:
        return f"{name}<{cut_arguments(arguments, room)}"
    begin, ellipsis, _ = name.partition("…")  # a name that was cut before, for all tables of its page
    return beginning(f"{begin}…", width) if ellipsis else cut(f"{name}…", width)


def cut_arguments(text: str, width: int) -> str:
    """Cut the text after a `<` to `width` columns: whole arguments from the first on, an ellipsis, closed brackets.

    >>> cut_arguments("MulFunctor<float>, 4, 8>", 22), cut_arguments("MulFunctor<float>>", 16)
    ('MulFunctor<float>, …>', 'MulFunctor<…>>')
    """
    if columns_of(text) <= width:
        return text
    depth, best = 1, ""
    for at, letter in enumerate(text[:width]):  # nothing longer fits
        depth += (letter == "<") - (letter == ">")
        if letter == "<" or text[at - 1 : at + 1] == ", ":
            best = max(best, f"{text[: at + 1]}…{'>' * depth}", key=lambda one: (columns_of(one) <= width, len(one)))
    return best if best and columns_of(best) <= width else f"{text[: width - 2]}…>"


def cut_names(texts: Sequence[str], width: int) -> list[str]:
    """Cut the texts by `cut_name`, except that those which would look alike are cut around their difference.

    >>> cut_names(["gemm_f32_tilesize128x64x8_stage3_execute", "gemm_f32_tilesize128x32x8_stage3_execute"], 24)
    ['gemm_f32…28x64x8_stage3…', 'gemm_f32…28x32x8_stage3…']
    """
    shown = {text: cut_name(text, width) for text in texts}
    for alike in _looking_alike(shown):
        shown.update(_cut_at_difference(alike, width))
    return [shown[text] for text in texts]


def _looking_alike(shown: dict[str, str]) -> Iterable[list[str]]:
    """Return the groups of texts that are shown alike."""
    by_look: dict[str, list[str]] = {}
    for text, shown_as in shown.items():
        by_look.setdefault(shown_as, []).append(text)
    return [texts for texts in by_look.values() if len(texts) > 1]


def _cut_at_difference(texts: list[str], width: int) -> dict[str, str]:
    """Cut distinct texts, each to its beginning and the part from the first difference between them on."""
    short = {text: _without_namespaces(text, width) for text in texts}
    if len(set(short.values())) < len(texts):
        short = {text: text for text in texts}
    head = width // 3
    begin = max(head, len(commonprefix(list(short.values()))) - COMMON_PREFIX)  # noqa: RUF071 -- names, not paths
    room = width - head - 1
    shown = {}
    for text, body in short.items():
        rest = body[begin:]
        shown[text] = cut(f"{body[:head]}…{beginning(rest, room)}", width)
    for alike in _looking_alike(shown):
        if len(alike) < len(texts):
            shown.update(_cut_at_difference(alike, width))
    return shown


def _without_namespaces(text: str, width: int) -> str:
    """Drop the namespaces of a template's name if they leave too few columns for its arguments."""
    opened = TEMPLATE.search(text)
    if not opened or columns_of(text) <= width or columns_of(text[: opened.start()]) + ARGUMENTS <= width:
        return text
    name = text[: opened.start()]
    return (name.rpartition("::")[2] or name) + text[opened.start() :]


def marker(text: str) -> str:
    """Return the text of an NVTX range; for markers of DLProf and PyProf, the function or operation in it.

    >>> marker("{'traceMarker': ['net.py:34'], 'funcStack': '/<module>/Net::forward/Conv2d::forward/conv2d'}")
    'conv2d'
    >>> marker("{'mod': 'Tensor', 'op': 'cuda', 'args': []}"), marker("{'step': 3}")
    ('Tensor.cuda', "{'step': 3}")
    """
    if text.startswith("{'traceMarker'"):
        stack = re.search(r"'funcStack': '([^']+)'", text)
        return stack[1].rpartition("/")[2] if stack else text
    operation = re.match(r"\{'mod': '([^']*)', 'op': '([^']+)'", text)
    return ".".join(filter(None, operation.groups())) if operation else text
