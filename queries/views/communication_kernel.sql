-- Kernel names of communication libraries (NCCL, NVSHMEM ...): they move data between GPUs and compute little.
--
-- NCCL and RCCL (names that begin with ncclDevKernel, ncclKernel or ncclFunction), NVSHMEM and DeepEP
-- transfers, MSCCL++, and the one-shot and two-shot all-reduces of vLLM, TensorRT-LLM, FlashInfer and PyTorch.
-- Classified by name alone, even if a kernel fuses computing with communication.
-- Needs  StringIds
-- Columns
--     name_id  BIGINT   -- Demangled name, as a number of `string`.
--     name     VARCHAR  -- The name.
SELECT
    id AS name_id,
    text AS name
FROM string
WHERE
    regexp_matches(
        text,
        '\b(nccl(Dev)?Kernel|ncclFunction|rccl|mscclKernel)'
        || '|nvshmem|deep_ep::|mscclpp|cross_device_reduce|all_?reduce_?kernel|allReduceKernel'
        || '|one_?shot_all_?reduce|two_?shot_all_?reduce|oneShotAllReduce|twoShotAllReduce',
        'i'
    )
