-- GPU time by kernel name and kind of memory operation.
--
-- Kernels as in cuda_gpu_kern_sum, memory operations as in cuda_gpu_mem_time_sum. CUDA graphs traced as a whole
-- are left out, as in nsys; gpu_time counts them.
-- Needs  _kernel_ids or memcpy or memset, NVTX_EVENTS if nvtx_name, _api_call_ids if nvtx_name
-- Engine  skip kernel_nvtx_range unless $nvtx_name
-- Parameters
--     usual: name, nvtx_name
-- Columns
--     cuda_gpu_kern_sum: time_pct, total_time_ns, instances, avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     category       VARCHAR  -- [Category] CUDA_KERNEL or MEMORY_OPER.
--     operation      VARCHAR  -- [Operation] Kernel, or such as [CUDA memcpy Host-to-Device].
-- Same as  nsys stats --report cuda_gpu_sum
WITH work AS (
    SELECT
        'CUDA_KERNEL' AS category,
        CASE WHEN NOT $nvtx_name THEN string.text_id END AS text_id,
        CASE WHEN $nvtx_name THEN coalesce(around.text || '/', '') || string.text END AS label,
        _kernel_ids.dur_ns
    FROM _kernel_ids
    LEFT JOIN string
        ON name_id_of($name, _kernel_ids.name_id, _kernel_ids.short_name_id, _kernel_ids.mangled_name_id) = string.id
    LEFT JOIN kernel_nvtx_range AS around ON $nvtx_name AND _kernel_ids.row_id = around.row_id
    UNION ALL
    SELECT
        'MEMORY_OPER' AS category,
        NULL AS text_id,
        operation AS label,
        dur_ns
    FROM _gpu_memory_operation
)

SELECT
    unnest(total_ns(work.dur_ns)) AS total,
    count(*) AS instances,
    unnest(spread_ns(work.dur_ns)) AS spread,
    work.category,
    coalesce(work.label, (SELECT min(string.text) FROM string WHERE string.id = work.text_id)) AS operation
FROM work
GROUP BY work.category, work.text_id, work.label
ORDER BY sum(work.dur_ns) DESC, operation ASC NULLS FIRST
