-- A kind and name of GPU work: how often it was launched, and how many bytes it copied or set.
--
-- Work counts when its launching call begins; work whose call was not recorded counts when it starts on the GPU.
-- Work of zero length and migrations of unified memory, which no call launches, are left out.
-- Needs  _gpu_work_ids
-- Parameters
--     process_id  BIGINT = NULL  -- Only this process (globalPid).
--     start_ns    BIGINT = NULL  -- Only work launched at or after this time.
--     end_ns      BIGINT = NULL  -- Only work launched before this time.
-- Columns
--     kind   VARCHAR  -- kernel, memcpy, memset or graph.
--     name   VARCHAR  -- Kernel, or such as [CUDA memcpy Host-to-Device].
--     count  BIGINT   -- Number of launches.
--     bytes  BIGINT   -- Bytes copied or set; 0 for kernels.
WITH by_id AS (
    SELECT
        work.kind,
        work.label,
        work.name_id,
        count(*) AS count,
        sum(work.bytes)::BIGINT AS bytes
    FROM _gpu_work_ids AS work
    LEFT JOIN _unfiltered_correlated_call AS call
        ON work.process_id = call.process_id AND work.correlation_id = call.correlation_id
    WHERE
        work.end_ns > work.start_ns
        AND NOT (work.kind = 'memcpy' AND work.detail_id BETWEEN 11 AND 13)
        AND ($process_id IS NULL OR work.process_id = $process_id)
        AND is_at(coalesce(call.start_ns, work.start_ns), $start_ns, $end_ns)
    GROUP BY work.kind, work.label, work.name_id
)

SELECT
    by_id.kind::VARCHAR AS kind,
    coalesce(by_id.label, string.text, '(no name)') AS name,
    sum(by_id.count)::BIGINT AS count,
    coalesce(sum(by_id.bytes), 0)::BIGINT AS bytes
FROM by_id
LEFT JOIN string ON by_id.name_id = string.id
GROUP BY ALL
ORDER BY count DESC, kind ASC, name ASC
