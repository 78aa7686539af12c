-- Time by CUDA API function, kernel name and kind of memory operation, in one table.
--
-- API functions as in cuda_api_sum, but by their shortened names; kernels as in cuda_gpu_kern_sum; memory
-- operations as in cuda_gpu_mem_time_sum. CPU and GPU time overlap, so the total that shares refer to is not
-- elapsed time. CUDA graphs traced as a whole are left out, as in nsys.
-- `nsys stats` merges a function and a kernel of equal name into one row.
-- Needs  _api_call_ids or _kernel_ids or memcpy or memset, NVTX_EVENTS if nvtx_name, _api_call_ids if nvtx_name
-- Engine  skip kernel_nvtx_range unless $nvtx_name
-- Parameters
--     usual: name, nvtx_name
--     as_nsys    BOOLEAN = false  -- One row for a function and a kernel of equal name.
-- Columns
--     usual: time_pct, total_time_ns
--     instances      BIGINT   -- [Instances] Number of calls or executions.
--     usual: avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     category       VARCHAR  -- [Category] CUDA_API, CUDA_KERNEL or MEMORY_OPER; that of the longest if merged.
--     operation      VARCHAR  -- [Operation] Function without version suffix, kernel, or such as [CUDA memset].
-- Same as  nsys stats --report cuda_api_gpu_sum
WITH named AS (
    SELECT
        'CUDA_API' AS category,
        id,
        name
    FROM _api_name
    UNION ALL
    SELECT
        'CUDA_KERNEL' AS category,
        id,
        text AS name
    FROM string
),

-- Names are grouped by an id that equal names of both categories share.
numbered AS (
    SELECT
        category,
        id,
        name,
        dense_rank() OVER (ORDER BY name) AS name_id
    FROM named
),

name_text AS (
    SELECT DISTINCT
        name_id,
        name
    FROM numbered
),

named_kernel AS (
    SELECT
        row_id,
        name_id_of($name, name_id, short_name_id, mangled_name_id) AS id,
        dur_ns
    FROM _kernel_ids
),

item AS (
    SELECT
        'CUDA_API' AS category,
        name_id AS id,
        NULL AS label,
        dur_ns
    FROM _api_call_ids
    UNION ALL
    SELECT
        'CUDA_KERNEL' AS category,
        CASE WHEN around.text IS NULL THEN named_kernel.id END AS id,
        around.text || '/' || string.text AS label,
        named_kernel.dur_ns
    FROM named_kernel
    LEFT JOIN kernel_nvtx_range AS around ON $nvtx_name AND named_kernel.row_id = around.row_id
    LEFT JOIN string ON $nvtx_name AND named_kernel.id = string.id
    UNION ALL
    SELECT
        'MEMORY_OPER' AS category,
        NULL AS id,
        operation AS label,
        dur_ns
    FROM _gpu_memory_operation
)

SELECT
    unnest(total_ns(item.dur_ns)) AS total,
    count(*) AS instances,
    unnest(spread_ns(item.dur_ns)) AS spread,
    CASE max(item.dur_ns)
        WHEN max(item.dur_ns) FILTER (item.category = 'CUDA_API') THEN 'CUDA_API'
        WHEN max(item.dur_ns) FILTER (item.category = 'CUDA_KERNEL') THEN 'CUDA_KERNEL'
        ELSE 'MEMORY_OPER'
    END AS category,
    coalesce(
        item.label, (SELECT min(name_text.name) FROM name_text WHERE name_text.name_id = numbered.name_id)
    ) AS operation
FROM item
LEFT JOIN numbered ON item.category = numbered.category AND item.id = numbered.id
GROUP BY numbered.name_id, item.label, CASE WHEN NOT $as_nsys THEN item.category END
ORDER BY sum(item.dur_ns) DESC, operation ASC NULLS FIRST, category ASC
