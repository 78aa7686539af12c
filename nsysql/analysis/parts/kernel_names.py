"""Classify kernels by name: library, kind of computation, precision."""

import re

import polars as pl

from nsysql.analysis.view_reader import ViewReader, reads

LIBRARIES = (  # a library and a pattern of its kernel names; the first match wins
    ("NCCL", r"\bnccl(Dev)?Kernel|\bncclFunction"),
    ("NVSHMEM", r"nvshmem"),
    ("FlashAttention", r"\bflash_(fwd|bwd)|\bflash::|\bflashattn|flash_attn"),
    ("Transformer Engine", r"\btransformer_engine::"),
    ("TensorRT", r"\bnvinfer1?::|tensorrt|\bgenericReformat::|^trt_|^__myl_|_trt(?![A-Za-z0-9])"),
    (
        "cuDNN",
        r"cudnn|_xmma_(fprop|dgrad|wgrad)_|\bimplicit_convolve|\bexplicit_convolve|\bwinograd\w*conv|\bDSE::"
        r"|^(void )?fft[12]d_(r2c|c2r)_|^(void )?fermiCgemm_|^compute_gemm_pointers\(|^(void )?flip_filter<",
    ),
    (
        "cuBLAS",
        r"^nvjet_|cublas|^(void )?(maxwell|volta|turing|ampere|ada|hopper|sm\d+)_\w*gemm|^(void )?gemv2[NT]_kernel"
        r"|^(void )?gemmSN_|^(void )?splitKreduce_kernel|\bcutlass_\d+_(tensorop|simt|wmma)_",
    ),
    ("CUTLASS", r"\bcutlass::"),
    ("cuFFT", r"cufft|\b(regular|vector|composite_2way|multi_bluestein)_fft"),
    ("cuSPARSE", r"\bcusparse"),
    ("cuSOLVER", r"\bcusolver"),
    ("cuRAND", r"^(void )?curand\w*::|^(void )?gen_sequenced|^(void )?generate_seed_pseudo"),
    ("PyTorch", r"\bat::|\bat_cuda_detail::|\bc10::|\btorch::|\bfmha_cutlass[FB]|\bsoftmax_warp_(for|back)ward<"),
    ("TensorFlow", r"\btensorflow::|\bEigen::|^redzone_checker$"),
    ("CuPy", r"^cupy_"),
    ("RAPIDS", r"\b(cudf|raft|cuml|cugraph)::"),
    ("Triton, as torch.compile names them", r"^triton_(poi|per|red|tem|mm|for)_"),
    (
        "XLA",
        r"^((input|loop)_(\w+_)?fusion|fusion|wrapped_[a-z_]+|(nested_)?gemm_fusion\w*|triton_(gemm|softmax)\w*)(_\d+)*$",
    ),
    ("Thrust and CUB", r"\b(thrust|cub)::"),
)
KNOWN = tuple((name, re.compile(pattern)) for name, pattern in LIBRARIES)


def library(kernel: str | None) -> str | None:
    """Return the library that a kernel belongs to, by demangled name; None for the program's own and unknown kernels.

    >>> library("nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN"), library("void flash_fwd_kernel<Flash_fwd_params>")
    ('cuBLAS', 'FlashAttention')
    >>> library("calcAllLowestResidualsGPU(int *)"), library(None)
    (None, None)
    """
    if not kernel:
        return None
    return next((name for name, pattern in KNOWN if pattern.search(kernel)), None)


MATRIX = re.compile(
    r"gemm|gemv|matmul|_mm_|xmma|\bnvjet|wgmma|_conv|implicit_convolve|winograd|hmma|imma_|cutlass_\d+_|cudnn_\w*\d+x\d+",
    re.IGNORECASE,
)
# Compilers name a kernel after all that they fused in it; what begins the name says which kind of kernel it is.
FUSED = re.compile(r"^(triton_(poi|per|red|for)_|__myl_|(input|loop)_(\w+_)?fusion|fusion(_\d+)*$|wrapped_)")
OPTIMIZER = r"(Adam|S[Gg][Dd]|Adagrad)\w*Functor"  # a fused optimizer of PyTorch or Apex: each launch has other tensors
TEMPLATE = re.compile(r"^triton_(tem|mm|gemm)_|^(nested_)?gemm_fusion")
WITH_EPILOGUE = ("cuBLAS", "cuDNN", "CUTLASS", "TensorRT")  # their matrix products can include an elementwise function
LAYOUT = re.compile(
    r"nchwToNhwc|nhwcToNchw|(?<!cast_)transpose|(?<!No)permute|tensorTransform|convertTensor|genericReformat"
    r"|\belementwise_kernel<.*direct_copy_kernel",  # PyTorch's copy of a tensor with strides, as .contiguous() makes it
    re.IGNORECASE,
)
TRANSPOSE = re.compile(r"transpose|permute", re.IGNORECASE)  # in a program's own kernel this is what it computes
ATTENTION = re.compile(r"flash|fmha|scaled_dot|attention", re.IGNORECASE)
SOFTMAX = re.compile(r"softmax|masked_fill|masked_scale|triu_tril", re.IGNORECASE)
REDUCE = re.compile(r"reduce_kernel|layer_?norm|batch_?norm|rms_?norm|RowwiseMoments", re.IGNORECASE)
ELEMENTWISE = re.compile(
    r"elementwise|unrolled_|multi_tensor_apply|copy_kernel|CatArray|fused_dropout|foreach|adam|sgd|BinaryFunctor"
    r"|TensorCwise|EigenMetaKernel|ScalarOp|pointwise|\bcast_|fill_kernel|gelu|relu|\bcupy_(add|mul|sub|copy|divide|power)",
    re.IGNORECASE,
)
DOUBLE = re.compile(  # with float, a factor or a limit that is passed as a double says nothing of the data
    r"dgemm|_f64|d884|^(?!.*\bfloat\b).*\bdouble\b|\bdouble\b(?!(,[^<>]*)?\)$)|zgemm|_d_|\bddot|daxpy"
)
TF32 = re.compile(
    r"tf32|tfloat32|s1688(?!\w*fp16)|tensorop_s\d+gemm(?!.*f32f32)|s161616gemm_tf32|nvjet_(sm\d+_)?s[a-z]+_\d"
)
HALF = re.compile(
    r"bf16|fp?16|half|hgemm|h884|h1688|h16816|s884|s16816|_h_|BFloat16|bfloat|e4m3|e5m2|fp8|nvjet_(sm\d+_)?[hqto]\w*_|_hmma",
    re.IGNORECASE,
)
SINGLE = re.compile(r"sgemm|simt_s|f32f32|scudnn|\bfloat\b|sgemv|_sconv|fp32|s_gemm", re.IGNORECASE)


@reads("_kernel_name")
def kernel_classes(views: ViewReader) -> dict[str, pl.DataFrame]:
    """Compute the frame _kernel_class."""
    names = views("_kernel_name")
    rows = [(number, *_of(name)) for number, name in names.select("name_id", "name").rows()]
    columns = {"name_id": pl.Int64(), "library": pl.String(), "class": pl.String(), "precision": pl.String()}
    return {"_kernel_class": pl.DataFrame(rows, pl.Schema(columns), orient="row")}


def _of(name: str | None) -> tuple[str | None, str, str | None]:
    """Return library, class and precision of a kernel.

    >>> _of("ampere_sgemm_128x64_tn")
    ('cuBLAS', 'matrix', 'fp32')
    >>> _of("void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128_16x4_nn_align4>(T1::Params)")
    ('cuBLAS', 'matrix', 'tf32')
    >>> _of("nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN"), _of("calc(int *)")
    (('cuBLAS', 'matrix', 'fp16'), (None, 'own', None))
    >>> _of("nvjet_sm90_tst_192x192_64x4_2x1_v_bz_coopB_TNN")[2], _of("nvjet_sm90_sss_128x128_64x4_NNT")[2]
    ('fp16', 'tf32')
    >>> _of("volta_scudnn_128x64_relu_interior_nn_v1"), _of("turing_fp16_s1688gemm_fp16_128x64_ldg8_relu_f2f_tn")
    (('cuDNN', 'matrix', 'fp32'), ('cuBLAS', 'matrix', 'fp16'))
    >>> _of("turing_int8_i8816cudnn_int8_256x128_ldg16_relu_small_nt_v1")[1]
    'matrix'
    >>> _of("void gemv2T_kernel_val<int, int, float, float>(float)")[2], _of("void gemv2T_kernel_val<T>(T)")[2]
    ('fp32', None)
    >>> _of("triton_poi_fused_addmm_relu_0")[1], _of("transformer_engine::cast_transpose_kernel<T>(T)")[1]
    ('library', 'elementwise')
    >>> _of("triton_tem_fused_addmm_relu_3")[1], _of("triton_poi_fused_clone_transpose_4")[1]
    ('matrix', 'library')
    >>> _of("loop_transpose_fusion_2")[:2], _of("gemm_fusion_dot_7")[:2], _of("loop_fusion(float *)")[0]
    (('XLA', 'library'), ('XLA', 'matrix'), None)
    >>> _of("void cutlass::Kernel<GemmUniversal<PredicatedTileIterator<float, cutlass::layout::NoPermute>>>(T1)")[1]
    'matrix'
    >>> _of("void nms<float>(int, double, const float *)")[2], _of("dt(double, float *, double *)")[2]
    ('fp32', 'fp64')
    """
    whose = library(name)
    text = name or ""
    kind = _class(text, whose)
    return whose, kind, _precision(text) if kind in ("matrix", "own", "library") else None


def _class(text: str, whose: str | None) -> str:
    if whose == "NCCL":
        return "library"
    if ATTENTION.search(text):
        return "attention"
    if TEMPLATE.search(text):
        return "matrix"
    if whose and (FUSED.search(text) or re.search(OPTIMIZER, text)):
        return "softmax" if SOFTMAX.search(text) else "library"
    if LAYOUT.search(text) and (whose or not TRANSPOSE.search(text)):
        return "layout"
    if SOFTMAX.search(text):
        return "softmax"
    if whose and MATRIX.search(text) and (whose in WITH_EPILOGUE or not ELEMENTWISE.search(text)):
        return "matrix"
    if whose and REDUCE.search(text):
        return "reduction"
    if whose and ELEMENTWISE.search(text):
        return "elementwise"
    return "library" if whose else "own"


def _precision(text: str) -> str | None:
    for name, pattern in (("tf32", TF32), ("fp64", DOUBLE), ("fp32", SINGLE), ("fp16", HALF)):
        if pattern.search(text) and not (name == "fp32" and HALF.search(text)):
            return name
    return None
