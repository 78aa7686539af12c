-- Kernels and whole CUDA graphs of some length, with the call that launched each, as numbers.
--
-- Needs  _gpu_work_ids
-- Columns
--     gpu_id        BIGINT   -- Physical GPU.
--     start_ns      BIGINT   -- Start on the GPU.
--     end_ns        BIGINT   -- End on the GPU.
--     call_id       BIGINT   -- Position of the call in the export's table; NULL if not recorded.
--     is_shared     BOOLEAN  -- The call launched other work, too.
--     api_start_ns  BIGINT   -- Start of the call.
--     api_end_ns    BIGINT   -- Return of the call.
SELECT
    run.gpu_id,
    run.start_ns,
    run.end_ns,
    run.call_id,
    _multi_work_launch.call_id IS NOT NULL AS is_shared,
    run.api_start_ns,
    run.api_end_ns
FROM _activity_launch AS run
LEFT JOIN _multi_work_launch ON run.call_id = _multi_work_launch.call_id
WHERE run.kind IN ('kernel', 'graph')
