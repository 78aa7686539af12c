"""The names of kernels in one page or table: one short name for each, no two alike, within the room that there is."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from nsysql.names.kernel_names import Detail, is_kernel, short
from nsysql.names.truncate import cut, cut_names
from nsysql.quantities import columns_of

ROOT = 8  # characters of a kernel's own name that are left to it where its arguments are shown whole
TIED = "\u00a0"  # a space at which no line ends; pages print a plain one


@dataclass(frozen=True)
class Naming:
    """How names of kernels are shown: whole, or short, and then within so many columns if that is said."""

    width: int | None = None
    is_full: bool = False

    def of(self, names: Iterable[str], width: int | None = None) -> dict[str, str]:
        """Every name as it is shown where there are so many columns for it."""
        return {name: name for name in names} if self.is_full else short_names(names, self.width or width)

    def of_texts(self, texts: Iterable[str]) -> dict[str, str]:
        """The same for texts of any kind: those that are no signatures of kernels stay."""
        return self.of(text for text in dict.fromkeys(texts) if is_kernel(text))


BRIEF = Naming()


@dataclass(frozen=True)
class Names:
    """A text with names of kernels in it, each of which is shown in one way all over the page."""

    names: tuple[str, ...]
    text: str = "{}"

    def shown(self, short: Mapping[str, str]) -> str:
        """The text with the names as they are shown."""
        return self.text.format(*(short.get(name, name).replace(" ", TIED) for name in self.names))

    def __str__(self) -> str:
        return self.shown({})


def short_names(names: Iterable[str], width: int | None = None) -> dict[str, str]:
    """Every name with its short one: different for different names, and within that many columns, 8 or more.

    >>> list(short_names(["void f<float, 64, true>(int)", "void f<float, 64, false>(int)", "g(int)"]).values())
    ['f<float, 64, true>', 'f<float, 64, false>', 'g']
    """
    every = list(dict.fromkeys(names))
    found: dict[str, str] = {}
    for detail in Detail:
        texts = {name: short(name, detail) for name in every if name not in found}
        counts, taken = Counter(texts.values()), set(found.values())
        found |= {name: text for name, text in texts.items() if counts[text] == 1 and text not in taken}
    found |= _numbered([name for name in every if name not in found], set(found.values()))
    return {name: found[name] for name in every} if width is None else _fitted({n: found[n] for n in every}, width)


def _fitted(found: dict[str, str], width: int) -> dict[str, str]:
    return dict(zip(found, cut_kernels(list(found.values()), width), strict=True))


def cut_kernels(texts: Sequence[str], width: int) -> list[str]:
    """Short names within so many columns, different where the names are."""
    shown = {text: _cut(text, width) for text in texts}
    for distinct in (cut_names, _ending):
        counts = Counter(shown.values())
        alike = [text for text, look in shown.items() if counts[look] > 1]
        shown |= zip(alike, distinct(alike, width), strict=True)
    return [shown[text] for text in texts]


def _cut(text: str, width: int) -> str:
    """The text in so many columns: arguments are shown at the cost of the kernel's own name, down to its beginning."""
    own, bracket, arguments = text.partition("<")
    if columns_of(text) <= width or not bracket or width < 3 * ROOT:
        return cut(text, width)
    begin = own[: max(ROOT, width - 2 - columns_of(arguments))]
    return f"{begin}…<{cut(arguments, width - 2 - columns_of(begin))}" if len(begin) < len(own) else cut(text, width)


def _ending(texts: Sequence[str], width: int) -> list[str]:
    """Texts with a number at the end."""
    ends = [f"…{i}" for i in range(1, len(texts) + 1)]
    return [f"{cut(text, width - len(end))}{end}" for text, end in zip(texts, ends, strict=True)]


def _numbered(names: Collection[str], taken: Collection[str]) -> Iterator[tuple[str, str]]:
    """Names that no detail distinguishes, with numbers."""
    counts: dict[str, int] = {}
    for name in sorted(names):
        text = short(name)
        number = counts.get(text, 0) + 1
        while f"{text} #{number}" in taken:
            number += 1
        counts[text] = number
        yield name, f"{text} #{number}"
