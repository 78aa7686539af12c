-- GPU time by kernel name and kind of memory operation.
--
-- Kernels as in cuda_gpu_kern_sum, memory operations as in cuda_gpu_mem_time_sum. CUDA graphs traced as a whole
-- are left out, as in nsys; gpu_time counts them.
-- Needs  _kernel_ids or memcpy or memset, NVTX_EVENTS if nvtx_name, _api_call_ids if nvtx_name
-- Parameters
--     usual: name, nvtx_name
-- Columns
--     cuda_gpu_kern_sum: time_pct, total_time_ns, instances, avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     category       VARCHAR  -- [Category] CUDA_KERNEL or MEMORY_OPER.
--     operation      VARCHAR  -- [Operation] Kernel, or such as [CUDA memcpy Host-to-Device].
-- Same as  nsys stats --report cuda_gpu_sum
WITH named_kernel AS (
    SELECT
        CASE WHEN NOT $nvtx_name THEN string.text_id END AS text_id,
        CASE WHEN $nvtx_name THEN coalesce(around.text || '/', '') || string.text END AS name,
        _kernel_ids.dur_ns
    FROM _kernel_ids
    LEFT JOIN string
        ON name_id_of($name, _kernel_ids.name_id, _kernel_ids.short_name_id, _kernel_ids.mangled_name_id) = string.id
    LEFT JOIN kernel_nvtx_range AS around ON $nvtx_name AND _kernel_ids.row_id = around.row_id
),

gpu_operation AS (
    SELECT
        text_id,
        name,
        NULL AS operation,
        dur_ns
    FROM named_kernel
    UNION ALL
    SELECT
        NULL AS text_id,
        NULL AS name,
        operation,
        dur_ns
    FROM _gpu_memory_operation
),

operation_sum AS (
    SELECT
        text_id,
        name,
        operation,
        sum(dur_ns)::BIGINT AS total_time_ns,
        count(*) AS instances,
        spread_ns(dur_ns) AS spread
    FROM gpu_operation
    GROUP BY text_id, name, operation
)

SELECT
    100 * total_time_ns / nullif(sum(total_time_ns) OVER (), 0) AS time_pct,
    total_time_ns,
    instances,
    unnest(spread) AS spread,
    CASE WHEN operation IS NULL THEN 'CUDA_KERNEL' ELSE 'MEMORY_OPER' END AS category,
    coalesce(operation_sum.operation, operation_sum.name, string.text) AS operation
FROM operation_sum
LEFT JOIN string ON operation_sum.text_id = string.id
ORDER BY total_time_ns DESC, coalesce(operation_sum.operation, operation_sum.name, string.text) ASC NULLS FIRST
