-- CUDA API calls that launched kernels, regardless of the time filter.
--
-- For naming kernels by the NVTX range around their call, which may be over before the time begins.
-- Needs  CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_KERNEL
SELECT
    call.rowid AS row_id,
    call.globalTid AS thread_id,
    call.start AS start_ns,
    call."end" AS end_ns
FROM unfiltered.CUPTI_ACTIVITY_KIND_RUNTIME AS call
SEMI JOIN unfiltered.CUPTI_ACTIVITY_KIND_KERNEL AS kernel
    ON process_of(call.globalTid) = kernel.globalPid AND call.correlationId = kernel.correlationId
