-- GPU time by kernel name.
--
-- All devices, streams, processes and grid shapes together. Kernels inside a CUDA graph count if the graph
-- was traced by nodes; a graph traced as a whole has no kernels.
-- Needs  _kernel_ids, NVTX_EVENTS if nvtx_name, _api_call_ids if nvtx_name
-- Engine  skip kernel_nvtx_range unless $nvtx_name
-- Parameters
--     usual: name, nvtx_name
-- Columns
--     usual: time_pct, total_time_ns
--     instances      BIGINT   -- [Instances] Number of executions.
--     usual: avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     name           VARCHAR  -- [Name] Kernel.
-- Same as  nsys stats --report cuda_gpu_kern_sum
WITH named_kernel AS (
    SELECT
        CASE WHEN NOT $nvtx_name THEN string.text_id END AS text_id,
        CASE WHEN $nvtx_name THEN coalesce(around.text || '/', '') || string.text END AS label,
        _kernel_ids.dur_ns
    FROM _kernel_ids
    LEFT JOIN string
        ON name_id_of($name, _kernel_ids.name_id, _kernel_ids.short_name_id, _kernel_ids.mangled_name_id) = string.id
    LEFT JOIN kernel_nvtx_range AS around ON $nvtx_name AND _kernel_ids.row_id = around.row_id
)

SELECT
    unnest(total_ns(kernel.dur_ns)) AS total,
    count(*) AS instances,
    unnest(spread_ns(kernel.dur_ns)) AS spread,
    coalesce(kernel.label, (SELECT min(string.text) FROM string WHERE string.id = kernel.text_id)) AS name
FROM named_kernel AS kernel
GROUP BY kernel.text_id, kernel.label
ORDER BY sum(kernel.dur_ns) DESC, instances ASC, name ASC NULLS FIRST
