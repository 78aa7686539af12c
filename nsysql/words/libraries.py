"""Recognize library kernels by name: users cannot edit them, only call them differently or less often."""

import re

LIBRARIES = (  # a library and a pattern of its kernel names; the first match wins
    ("NCCL", r"\bnccl(Dev)?Kernel|\bncclFunction"),
    ("NVSHMEM", r"nvshmem"),
    ("FlashAttention", r"\bflash_(fwd|bwd)|\bflash::|\bflashattn|flash_attn"),
    ("Transformer Engine", r"\btransformer_engine::"),
    ("TensorRT", r"\bnvinfer1?::|tensorrt|^trt_|_trt(?![A-Za-z0-9])"),
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
    ("cuRAND", r"\bcurand|^(void )?gen_sequenced|^(void )?generate_seed_pseudo"),
    ("PyTorch", r"\bat::|\bat_cuda_detail::|\bc10::|\btorch::|\bfmha_cutlass[FB]|\bsoftmax_warp_(for|back)ward<"),
    ("TensorFlow", r"\btensorflow::|\bEigen::|^redzone_checker$"),
    ("CuPy", r"^cupy_"),
    ("RAPIDS", r"\b(cudf|raft|cuml|cugraph)::"),
    ("Triton, as torch.compile names them", r"^triton_(poi|per|red|tem|mm|for)_"),
    ("Thrust and CUB", r"\b(thrust|cub)::"),
)
KNOWN = tuple((name, re.compile(pattern)) for name, pattern in LIBRARIES)


def library(kernel: str | None) -> str | None:
    """The library that a kernel belongs to, by its demangled name; None for the program's own and unknown kernels.

    >>> library("nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN"), library("void flash_fwd_kernel<Flash_fwd_params>")
    ('cuBLAS', 'FlashAttention')
    >>> library("calcAllLowestResidualsGPU(int *)"), library(None)
    (None, None)
    """
    if not kernel:
        return None
    return next((name for name, pattern in KNOWN if pattern.search(kernel)), None)
