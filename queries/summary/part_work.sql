-- An activity of the GPU in a part of the capture, among the longest.
--
-- Kernels, copies, memsets and CUDA graphs traced as a whole, each in the part in which it starts.
-- Needs  _gpu_work_ids
-- Parameters
--     part          BIGINT = NULL                                       -- Only this part (view part).
--     kind          ENUM('kernel', 'memcpy', 'memset', 'graph') = NULL  -- Only this kind.
--     name          VARCHAR = NULL                                      -- Only this name.
--     kernel_class  VARCHAR = NULL                                      -- Only kernels of this class, as in view part_kernel.
--     top           BIGINT = NULL                                       -- Activities to keep; NULL keeps all.
-- Columns
--     _part_activity: part_id, gpu_id, stream_id, kind
--     name             VARCHAR  -- Name; demangled for kernels.
--     graph_trace: start_ns, dur_ns
--     alone_ns         BIGINT   -- Time in which the GPU ran nothing else.
--     evidence_table   VARCHAR  -- NVIDIA's table.
--     evidence_row_id  BIGINT   -- Position in that table.
WITH alike AS (
    SELECT DISTINCT name FROM part_kernel
    WHERE class = $kernel_class
)

SELECT
    work.part_id,
    work.gpu_id,
    work.stream_id,
    work.kind::VARCHAR AS kind,
    named.name,
    work.start_ns,
    work.end_ns - work.start_ns AS dur_ns,
    work.alone_ns,
    CASE work.kind
        WHEN 'kernel' THEN 'CUPTI_ACTIVITY_KIND_KERNEL'
        WHEN 'memcpy' THEN 'CUPTI_ACTIVITY_KIND_MEMCPY'
        WHEN 'memset' THEN 'CUPTI_ACTIVITY_KIND_MEMSET'
        ELSE 'CUPTI_ACTIVITY_KIND_GRAPH_TRACE'
    END AS evidence_table,
    work.row_id AS evidence_row_id
FROM _part_activity AS work
LEFT JOIN _activity_name AS named ON work.kind = named.kind AND work.detail_id = named.detail_id
WHERE
    ($part IS NULL OR work.part_id = $part)
    AND ($kind IS NULL OR work.kind = $kind)
    AND ($name IS NULL OR named.name = $name)
    AND ($kernel_class IS NULL OR (work.kind = 'kernel' AND named.name IN (FROM alike)))
ORDER BY dur_ns DESC, evidence_row_id ASC, evidence_table ASC
LIMIT $top
