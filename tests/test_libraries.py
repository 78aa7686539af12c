"""Kernels of libraries by their names, as captures have them, and those that are none."""

import pytest

from nsysql.analysis.parts.kernel_names import LIBRARIES, library

NAMES = [
    ("NCCL", "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)"),
    ("NCCL", "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)"),
    ("NVSHMEM", "void nvshmemi_transfer_put<(threadgroup_t)2>(int)"),
    (
        "FlashAttention",
        "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<(int)128, cutlass::bfloat16_t>>()",
    ),
    ("FlashAttention", "void flash_bwd_dq_dk_dv_loop_kernel<Flash_bwd_kernel_traits<64>>(Flash_bwd_params)"),
    ("Transformer Engine", "void transformer_engine::layer_norm::ln_fwd_kernel<float>(int)"),
    ("TensorRT", "sm80_xmma_fprop_implicit_gemm_indexed_f16f16_f16f16_f16_nhwckcrs_nhwc_tilesize64x64x64_kernel_trt"),
    ("TensorRT", "trt_volta_h884cudnn_256x64_ldg8_relu_exp_small_nhwc_tn_v1"),
    ("cuDNN", "sm80_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc"),
    ("cuDNN", "void cudnn::detail::bn_fw_inf_1C11_kernel_NCHW<float, float, true, 1>(float, float, cudnnTensorStruct)"),
    ("cuDNN", "volta_scudnn_128x64_relu_interior_nn_v1"),
    ("cuDNN", "void DSE::regular_fft_pad<0, 1, 256, 16, 16, 1, float, float, float2>(float2*)"),
    ("cuDNN", "void implicit_convolve_sgemm<float, float, 1024, 5, 5, 3>(int, int, int, float const*)"),
    ("cuBLAS", "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN"),
    ("cuBLAS", "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn"),
    ("cuBLAS", "volta_sgemm_128x64_nn"),
    ("cuBLAS", "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x256x8"),
    ("cuBLAS", "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_64x64_64x6_nn_align8>(T1::Params)"),
    ("cuBLAS", "void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 4, 4, false>(float)"),
    ("CUTLASS", "void cutlass::Kernel<mine::Gemm<float>>(mine::Gemm<float>::Params)"),
    ("cuFFT", "void regular_fft<256, 8, 16, 2, 2, 4, 1>(float2 *)"),
    ("cuRAND", "void generate_seed_pseudo<rng_config<curandStateXORWOW, (curandOrdering)101>>(unsigned long long)"),
    ("cuSPARSE", "void cusparse::csrmv_v3_kernel<int, double>(int)"),
    ("PyTorch", "void at::native::vectorized_elementwise_kernel<(int)4, at::native::FillFunctor<float>>(int)"),
    ("PyTorch", "void at_cuda_detail::cub::DeviceRadixSortOnesweepKernel<int>(int)"),
    ("PyTorch", "void <unnamed>::softmax_warp_forward<float, float, float, (int)6, (bool)0, (bool)0>(float *)"),
    ("TensorFlow", "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<int>>(int)"),
    ("CuPy", "cupy_copy__float64_float64"),
    ("Triton, as torch.compile names them", "triton_poi_fused_add_relu_0"),
    ("XLA", "input_add_reduce_fusion_12"),
    ("XLA", "loop_dynamic_update_slice_fusion"),
    ("XLA", "wrapped_transpose"),
    ("XLA", "fusion_3"),
    ("XLA", "gemm_fusion_dot_general_4"),
    ("Thrust and CUB", "void cub::DeviceMergeSortMergeKernel<(bool)0, thrust::zip_iterator<int>>(int)"),
    ("Thrust and CUB", "void thrust::cuda_cub::core::_kernel_agent<int>(int)"),
    (None, "calcAllLowestResidualsGPU(int *)"),
    (None, "my_sgemm(float *, float *)"),
    (None, "matrixMulKernel(float *, float *, float *, int)"),
    (None, "void reduce<double, (int)256>(const T1 *, T1 *, int)"),
    (None, "flashcards(int)"),
    (None, "sort_trtable(int *)"),
    (None, "render(float3 *, int, curandStateXORWOW *)"),
    (None, "void walk<curandStateXORWOW>(T1 *, float *)"),
    (None, "triton_wave(float *)"),
    (None, "gemm_sm80(float *)"),
    (None, "loop_fusion(float *)"),
    (None, "image_fusion"),
    (None, ""),
]


@pytest.mark.parametrize(("of", "name"), NAMES)
def test_a_kernel_is_its_librarys(of: str | None, name: str) -> None:
    assert library(name) == of


def test_every_library_has_an_example() -> None:
    known = {of for of, _ in NAMES}
    assert {name for name, _ in LIBRARIES} - known <= {"cuSOLVER", "RAPIDS"}
