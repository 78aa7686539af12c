"""Shorten kernel names to the parts that say what a kernel does: distinct, and the same on all pages and in all tables.

The kernel's own name, the functor, the data type and the tile size are kept; namespaces, parameters and template
arguments that are the same for every kernel of a library are dropped.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from nsysql.words.cpp_names import Name, Part, read_name
from nsysql.words.quantities import columns_of
from nsysql.words.truncate import cut, cut_arguments, cut_names


class Detail(NamedTuple):
    """What is shown besides what the kernel does."""

    has_wrappers: bool = False  # the templates that wrap a functor
    has_numbers: bool = False  # numeric arguments that are neither tile sizes nor a name's only arguments
    is_all: bool = False


MEANING, ALL = Detail(), Detail(has_wrappers=True, has_numbers=True, is_all=True)
DETAILS = (MEANING, Detail(has_wrappers=True), Detail(has_numbers=True), Detail(True, True), ALL)
TILE = 8  # smallest number that can be the side of a tile
BUILT_IN = frozenset([
    "void", "bool", "char", "short", "int", "long", "float", "double", "half", "size_t", "unsigned", "signed",
    "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "int2", "int3", "int4",
    "float2", "float4", "double2", "complex", "__half", "__half2", "Half", "half_t", "__nv_bfloat16", "BFloat16",
    "bfloat16_t", "tfloat32_t",
])  # fmt: skip
OF_INDICES = frozenset([
    "bool", "int", "long", "short", "unsigned", "size_t", "int32_t", "uint32_t", "int64_t", "uint64_t",
])  # fmt: skip
WRAPPERS = frozenset([  # templates that wrap the kernel's functor or operation
    "BinaryFunctor", "AUnaryFunctor", "BUnaryFunctor", "gpu_kernel_impl", "gpu_kernel_impl_nocast", "func_wrapper_t",
    "ReduceOp", "TensorEvaluator", "TensorAssignOp", "TensorCwiseUnaryOp", "TensorCwiseBinaryOp",
    "TensorCwiseNullaryOp", "scalar_left", "scalar_right", "_kernel_agent", "ParallelForAgent", "device_kernel",
    "Kernel", "Kernel2", "GemmUniversal", "GemmUniversalAdapter", "enable_2x_kernel_for_sm89",
    "enable_3x_kernel_for_sm90", "enable_3x_kernel_for_sm10x", "cublasGemvParams", "cublasGemvParamsEx",
    "Flash_fwd_kernel_traits", "Flash_bwd_kernel_traits",
])  # fmt: skip
NOISE = re.compile(  # arguments about memory, counts and policies, not about the computation
    r"array|Array|(Trivial)?OffsetCalculator|(Load|Store)With(out)?Cast|TensorListMetadata|TensorMap|GpuDevice"
    r"|MakePointer|\w*(Policy|Policy\d+|Iterator|_iterator|_ptr|_tag|_predicate|Allocator)|null_type|NullType|use_default"
    r"|ScanTileState|EmptyType|Sm\d+|OpClass\w*|RowMajor|ColumnMajor|GemmIdentityThreadblockSwizzle"
)
TILED = re.compile(r"\w*(Shape|_traits|Traits|Tile|OpaqueType)|C|Int|integral_constant")  # their numbers are tile sizes
LIBRARY = re.compile(r"(_tilesize\w+?)_stage\d+_warpsize\w+?_execute(_split_k)?_kernel__\w+")  # of cuBLAS and cuDNN


def short(name: str, detail: Detail = MEANING) -> str:
    """Shorten the name of a kernel, in this much detail.

    >>> short("void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, float, float, "
    ...       "at::native::binary_internal::MulFunctor<float>>, std::array<char*, 3ul>>(int, std::array<char*, 3ul>)")
    'vectorized_elementwise_kernel<MulFunctor<float>>'
    >>> short("void at::native::elementwise_kernel<(int)128, (int)2, void at::native::gpu_kernel_impl_nocast<"
    ...       "at::native::neg_kernel_cuda(at::TensorIteratorBase &)::[lambda() (instance 2)]::operator ()() const::"
    ...       "[lambda(float) (instance 1)]>(at::TensorIteratorBase &)::[lambda(int) (instance 1)]>(int, T3)")
    'elementwise_kernel<neg_kernel_cuda<float>>'
    >>> short("void cutlass::Kernel<cutlass_80_tensorop_s1688f16gemm_256x128_16x3_tn_align4>(T1::Params)")
    'cutlass_80_tensorop_s1688f16gemm_256x128_16x3_tn_align4'
    >>> short("ampere_sgemm_128x64_tn"), short("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)")
    ('ampere_sgemm_128x64_tn', 'ncclDevKernel_SendRecv')
    >>> short("void matmul<float, (int)32, (int)2>(const T1 *, T1 *)"), short("[CUDA memset]")
    ('matmul<float, 32>', '[CUDA memset]')
    """
    place, slash, rest = _split_range(name)
    name_read = None if name.startswith("[") or (" " in name and not re.search("[<(]", name)) else read_name(rest)
    if not name_read or not any(part.name for part in name_read.parts):
        return name
    text = _text(name_read, detail, is_kernel=True)
    return f"{place}{slash}{text}" if detail.has_numbers else LIBRARY.sub(r"\1\2", f"{place}{slash}{text}")


def is_kernel(text: str) -> bool:
    """Tell whether a text is the signature of a C++ function, as kernel names are.

    >>> is_kernel("void f<int>(T1)"), is_kernel("add(int, float *)"), is_kernel("load(data)"), is_kernel("a::b")
    (True, True, False, False)
    """
    name_read = read_name(_split_range(text)[2]) if text.endswith((")", ">")) else None
    last = name_read.parts[-1] if name_read and name_read.parts else Part()
    if text.startswith("void ") or LIBRARY.search(text):
        return bool(last.name or LIBRARY.search(text))
    types = [p for p in last.parameters or () if p.literal is None]
    typed = [p for p in types if p.is_pointer or _leaf(p).name.split(" ")[0] in BUILT_IN]
    return bool(last.name and last.parameters is not None and (last.arguments or typed))


def _split_range(name: str) -> tuple[str, str, str]:
    """Split `step/void f<int>(int)` into the NVTX range it begins with, a slash and the kernel."""
    begin = re.search(r"[<(]", name)
    place, slash, kernel = name[: begin.start() if begin else len(name)].rpartition("/")
    return place, slash, kernel + name[begin.start() if begin else len(name) :]


def _text(name: Name, detail: Detail, is_kernel: bool = False) -> str:
    """Return a short name: its last named part, with the arguments that matter."""
    if name.literal is not None:
        return {"0": "false", "1": "true"}.get(name.literal, name.literal) if name.cast == "bool" else name.literal
    part = _leaf(name)
    inner = _arguments(name, part, detail, is_kernel)
    if not detail.has_wrappers and part.name in WRAPPERS and (functor := _functor(inner, detail)):
        return functor
    pairs = [(_text(argument, detail), argument.literal is not None) for argument in inner]
    pairs = [pair for i, pair in enumerate(pairs) if pair[1] or pair not in pairs[:i]]
    others = [text for text, _ in pairs]
    texts = [text for text, is_number in pairs if is_number or detail.is_all or not _is_mentioned(text, others)]
    if part.name.endswith("Shape") and texts and all(text.isdecimal() for text in texts):
        return "x".join(texts)
    return f"{part.name}<{', '.join(texts)}>" if texts else part.name


def _functor(arguments: list[Name], detail: Detail) -> str | None:
    """Return the functor inside a wrapper; None if there is none, or it does not mention all of the wrapper's types."""
    wrapped = [a for a in arguments if not _is_plain(a)]
    if not wrapped:
        return None
    text = _text(next((a for a in wrapped if _leaf(a).name != "tuple"), wrapped[0]), detail)
    types = [_text(a, detail) for a in arguments if _is_plain(a) and a.literal is None]
    return text if all(_is_mentioned(kind, [text]) for kind in types) else None


def _is_mentioned(text: str, others: list[str]) -> bool:
    """Tell whether one of the other texts has this one among its template arguments."""
    return any(re.search(rf"<(.*\W)?{re.escape(text)}\W", other) for other in others)


def _leaf(name: Name) -> Part:
    """Return the part that names it: the last one, or for a lambda or operator the function that contains it."""
    named = [p for p in name.parts if p.name and p.name not in ("operator", "type", "Params")]
    return named[-1] if named else Part("operator()" if any(p.name for p in name.parts) else "lambda")


def _arguments(name: Name, part: Part, detail: Detail, is_kernel: bool) -> list[Name]:
    """Return the template arguments that matter; for a lambda the types of its parameters."""
    if part.arguments is None:
        lambdas = [p.parameters for p in name.parts if p.instance and p.parameters]
        return lambdas[-1] if lambdas and not is_kernel else []
    if detail.is_all:
        return part.arguments
    types = [a for a in part.arguments if a.literal is None]
    meaningful = [a for a in types if not NOISE.fullmatch(_leaf(a).name)] or types
    values = [a for a in meaningful if not _is_plain(a)]
    kept = [a for a in meaningful if not _is_plain(a) or _leaf(a).name.split(" ")[0] not in OF_INDICES] or meaningful
    literals = ((a, a.literal) for a in part.arguments if a.literal is not None)
    numbers = [a for a, text in literals if detail.has_numbers or (a.cast != "bool" and text.lstrip("-").isdecimal())]
    if types and not detail.has_numbers and not TILED.fullmatch(part.name):
        numbers = [a for a in numbers if int(a.literal or 0) >= TILE] if is_kernel and not values else []
    chosen = {id(a) for a in (*kept, *numbers)}
    return [a for a in part.arguments if id(a) in chosen]


def _is_plain(argument: Name) -> bool:
    """Tell whether an argument is a literal or a built-in type."""
    return argument.literal is not None or (
        _leaf(argument).name.split(" ")[0] in BUILT_IN and not _leaf(argument).arguments
    )


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
        """Map each name to the name to show, at most `width` columns wide."""
        if self.is_full or not (names := list(names)):
            return {name: name for name in names}
        return short_names(names, self.width or width, self.known())

    def of_texts(self, texts: Iterable[str]) -> dict[str, str]:
        """Map those of the texts that are kernel signatures as `of` does; others are left out."""
        return self.of(text for text in dict.fromkeys(texts) if is_kernel(text))


BRIEF = Naming()


@dataclass(frozen=True)
class Names:
    """A text that contains kernel names, each of which looks the same on the whole page."""

    names: tuple[str, ...]
    text: str = "{}"

    def shown(self, short: Mapping[str, str]) -> str:
        """Return the text with each name replaced by its short one."""
        return self.text.format(*(short.get(name, name).replace(" ", TIED) for name in self.names))

    def __str__(self) -> str:
        return self.shown({})


def short_names(
    names: Iterable[str], width: int | None = None, known: Mapping[str, str] = NONE_KNOWN
) -> dict[str, str]:
    """Map each name to its short one: distinct for distinct names, and at most `width` (8 or more) columns wide.

    Those that are `known` have that short name, and no other name has it.

    >>> list(short_names(["void f<float, 64, true>(int)", "void f<float, 64, false>(int)", "g(int)"]).values())
    ['f<float, 64, true>', 'f<float, 64, false>', 'g']
    """
    originals = list(dict.fromkeys(names))
    shorts = {name: known[name] for name in originals if name in known}
    for detail in DETAILS:
        texts = {name: short(name, detail) for name in originals if name not in shorts}
        counts, taken = Counter(texts.values()), {*shorts.values(), *known.values()}
        shorts |= {name: text for name, text in texts.items() if counts[text] == 1 and text not in taken}
    shorts |= _numbered([name for name in originals if name not in shorts], {*shorts.values(), *known.values()})
    whole = [shorts[name] for name in originals]
    return dict(zip(originals, whole if width is None else cut_kernels(whole, width), strict=True))


def cut_kernels(texts: Sequence[str], width: int) -> list[str]:
    """Cut short names to `width` columns; distinct names stay distinct."""
    shown = {text: _cut(text, width) for text in texts}
    for make_distinct in (cut_names, _with_numbers_at_end):
        counts = Counter(shown.values())
        alike = [text for text, cut_text in shown.items() if counts[cut_text] > 1]
        shown |= zip(alike, make_distinct(alike, width), strict=True)
    return [shown[text] for text in texts]


def _cut(text: str, width: int) -> str:
    """Cut the text to `width` columns: the kernel's own name before its arguments, down to ROOT characters."""
    own, bracket, arguments = text.partition("<")
    if columns_of(text) <= width or not bracket or width < 3 * ROOT:
        return cut(text, width)
    shown = cut_arguments(arguments, width - 1 - min(columns_of(own), ROOT + 1))
    room = width - 1 - columns_of(shown)
    return f"{own if columns_of(own) <= room else own[: room - 1] + '…'}<{shown}"


def _with_numbers_at_end(texts: Sequence[str], width: int) -> list[str]:
    ends = [f"…{i}" for i in range(1, len(texts) + 1)]
    return [f"{cut(text, width - len(end))}{end}" for text, end in zip(texts, ends, strict=True)]


def _numbered(names: Collection[str], taken: Collection[str]) -> Iterator[tuple[str, str]]:
    """Number names that are the same in every detail."""
    counts: dict[str, int] = {}
    for name in sorted(names):
        text = short(name)
        number = counts.get(text, 0) + 1
        while f"{text} #{number}" in taken:
            number += 1
        counts[text] = number
        yield name, f"{text} #{number}"
