"""File name extensions, which distinguish a path from the name of a layer or a ratio."""

ENDINGS = frozenset(
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
LONGEST = 5  # characters of any other extension


def is_file(name: str, any_ending: bool = False) -> bool:
    """Whether a name is a file name; `any_ending` where no names of model layers are expected.

    >>> [is_file(name) for name in ("run.py", "libx.so.12", "layers.0", "attn.proj")]
    [True, True, False, False]
    """
    stem, _, ending = name.rstrip(".!").rpartition(".")
    if not stem or ending.lower() in ENDINGS:
        return bool(stem)
    if ending[:1].isdigit():
        return is_file(stem)
    return any_ending and stem[0].isalpha() and len(ending) <= LONGEST and ending.isalnum() and ending.islower()
