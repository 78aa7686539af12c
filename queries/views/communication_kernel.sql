-- Kernel names of communication libraries (NCCL, NVSHMEM ...): they move data between GPUs and compute little.
--
-- NCCL and RCCL (names that begin with ncclDevKernel, ncclKernel or ncclFunction), NVSHMEM and DeepEP
-- transfers, MSCCL++, and kernels named after all-reduce, all-gather or all-to-all, as in vLLM, TensorRT-LLM, FlashInfer
-- and PyTorch.
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
        || '|nvshmem|deep_ep::|mscclpp|cross_device_reduce|(one|two)_?shot_?all_?reduce'
        || '|(?-i:(\b|_)(all_?reduce|all_?gather|all_?to_?all)|[aA]llReduce|[aA]llGather|[aA]llToAll)\w*kernel',
        'i'
    )
