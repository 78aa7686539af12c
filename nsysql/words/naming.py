"""Kernel names of a capture: one short name each, the same on all pages and in all tables, and all distinct."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from nsysql.words.kernel_names import Detail, is_kernel, short
from nsysql.words.quantities import columns_of
from nsysql.words.truncate import cut, cut_arguments, cut_names

ROOT = 8  # characters of a kernel's own name that are kept when it is cut to show its arguments in full
NONE_KNOWN: Mapping[str, str] = {}
TIED = "\u00a0"  # no-break space, so that names do not wrap; pages print it as a plain space


@dataclass(frozen=True)
class Naming:
    """How kernel names are shown: in full, or short and within `width` terminal columns if that is given.

    `known` gives the short names of a capture.
    """

    width: int | None = None
    is_full: bool = False
    known: Callable[[], Mapping[str, str]] = dict

    def of(self, names: Iterable[str], width: int | None = None) -> dict[str, str]:
        """Each name mapped to the name to show, at most `width` columns wide."""
        if self.is_full or not (names := list(names)):
            return {name: name for name in names}
        return short_names(names, self.width or width, self.known())

    def of_texts(self, texts: Iterable[str]) -> dict[str, str]:
        """The same for those of the texts that are kernel signatures; others are left out."""
        return self.of(text for text in dict.fromkeys(texts) if is_kernel(text))


BRIEF = Naming()


@dataclass(frozen=True)
class Names:
    """A text that contains kernel names; each is shown in the same way on the whole page."""

    names: tuple[str, ...]
    text: str = "{}"

    def shown(self, short: Mapping[str, str]) -> str:
        """The text with each name replaced by its short one."""
        return self.text.format(*(short.get(name, name).replace(" ", TIED) for name in self.names))

    def __str__(self) -> str:
        return self.shown({})


def short_names(
    names: Iterable[str], width: int | None = None, known: Mapping[str, str] = NONE_KNOWN
) -> dict[str, str]:
    """Each name mapped to its short one: distinct for distinct names, and at most `width` (8 or more) columns wide.

    Those that are `known` have that short name, and no other name has it.

    >>> list(short_names(["void f<float, 64, true>(int)", "void f<float, 64, false>(int)", "g(int)"]).values())
    ['f<float, 64, true>', 'f<float, 64, false>', 'g']
    """
    originals = list(dict.fromkeys(names))
    shorts = {name: known[name] for name in originals if name in known}
    for detail in Detail:
        texts = {name: short(name, detail) for name in originals if name not in shorts}
        counts, taken = Counter(texts.values()), {*shorts.values(), *known.values()}
        shorts |= {name: text for name, text in texts.items() if counts[text] == 1 and text not in taken}
    shorts |= _numbered([name for name in originals if name not in shorts], {*shorts.values(), *known.values()})
    return (
        {name: shorts[name] for name in originals}
        if width is None
        else _fitted({n: shorts[n] for n in originals}, width)
    )


def _fitted(shorts: dict[str, str], width: int) -> dict[str, str]:
    return dict(zip(shorts, cut_kernels(list(shorts.values()), width), strict=True))


def cut_kernels(texts: Sequence[str], width: int) -> list[str]:
    """Short names cut to `width` columns; distinct names stay distinct."""
    shown = {text: _cut(text, width) for text in texts}
    for make_distinct in (cut_names, _with_numbers_at_end):
        counts = Counter(shown.values())
        alike = [text for text, cut_text in shown.items() if counts[cut_text] > 1]
        shown |= zip(alike, make_distinct(alike, width), strict=True)
    return [shown[text] for text in texts]


def _cut(text: str, width: int) -> str:
    """The text in `width` columns: the kernel's own name is cut before its arguments are, down to ROOT characters."""
    own, bracket, arguments = text.partition("<")
    if columns_of(text) <= width or not bracket or width < 3 * ROOT:
        return cut(text, width)
    shown = cut_arguments(arguments, width - 1 - min(columns_of(own), ROOT + 1))
    room = width - 1 - columns_of(shown)
    return f"{own if columns_of(own) <= room else own[: room - 1] + '…'}<{shown}"


def _with_numbers_at_end(texts: Sequence[str], width: int) -> list[str]:
    """The texts, cut, each with a number at its end."""
    ends = [f"…{i}" for i in range(1, len(texts) + 1)]
    return [f"{cut(text, width - len(end))}{end}" for text, end in zip(texts, ends, strict=True)]


def _numbered(names: Collection[str], taken: Collection[str]) -> Iterator[tuple[str, str]]:
    """Names that are alike in every detail, with numbers."""
    counts: dict[str, int] = {}
    for name in sorted(names):
        text = short(name)
        number = counts.get(text, 0) + 1
        while f"{text} #{number}" in taken:
            number += 1
        counts[text] = number
        yield name, f"{text} #{number}"
