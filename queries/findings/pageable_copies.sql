-- Copies from or to pageable memory.
--
-- The driver stages them through a pinned buffer. Pinned memory saves the time beyond a copy at the link's rate plus 3 us
-- per copy, and the idle time of staging. Copies of at most 64 bytes (sync-for-value) do not count: from pinned memory they
-- take as long.
-- Needs  memcpy
-- Finding
--     says if is_staged  {total_bytes} are copied from or to pageable memory at {rate_bytes_per_s}: {copied_ns}; the GPU is idle for {staging_ns} while the driver stages them.
--     says  {total_bytes} are copied from or to pageable memory at {rate_bytes_per_s}: {copied_ns}.
--     do if is_single  Pin the host memory (cudaHostAlloc, cudaHostRegister) if it is copied more than once: pinning takes time itself.
--     do  Pin the host memory (cudaHostAlloc, cudaHostRegister, pin_memory=True).
-- Columns
--     total_bytes       BIGINT   -- Bytes.
--     rate_bytes_per_s  BIGINT   -- Their rate.
--     copied_ns         BIGINT   -- Time of the copies.
--     staging_ns        BIGINT   -- Idle time of staging.
--     is_staged         BOOLEAN  -- It is over a tenth of the time of the copies.
--     is_single         BOOLEAN  -- No step repeats them.
WITH copy AS (
    SELECT
        part_id,
        gpu_id,
        sum(copy.exposed_ns) FILTER (WHERE copy.bytes > VALUE_BYTES) AS exposed_ns,
        sum(copy.total_ns) FILTER (WHERE copy.bytes > VALUE_BYTES) AS total_ns,
        sum(copy.bytes * copy.count) FILTER (WHERE copy.bytes > VALUE_BYTES) AS bytes,
        sum(copy.count) FILTER (WHERE copy.bytes > VALUE_BYTES) AS count,
        sum(copy.count) AS all_count,
        any_value(copy.link_bytes_per_s) AS link_bytes_per_s,
        any_value(copy.steps) AS steps,
        COPY_OVERHEAD_NS AS overhead_ns
    FROM _judged_copy AS copy
    WHERE NOT copy.is_migration AND 'Pageable' IN (copy.src_kind, copy.dst_kind)
    GROUP BY copy.part_id, copy.gpu_id
),

staging AS (
    SELECT
        part_id,
        sum(idle_ns) AS idle_ns
    FROM part_idle
    WHERE claim = 'staging' AND call_name IS NOT NULL
    GROUP BY part_id
)

SELECT
    copy.part_id,
    copy.gpu_id,
    'pageable memory' AS subject,
    (copy.exposed_ns + coalesce(staging.idle_ns, 0) * copy.count / copy.all_count)::BIGINT AS total_ns,
    (
        greatest(
            0,
            copy.exposed_ns
            * (1 - (copy.bytes / copy.link_bytes_per_s * 1e9 + copy.overhead_ns * copy.count) / copy.total_ns)
        )
        + coalesce(staging.idle_ns, 0) * copy.count / copy.all_count
    )::BIGINT AS saves_ns,
    'about' AS bound,
    'likely' AS certainty,
    false AS once,
    'copy' AS claims,
    copy.bytes::BIGINT AS total_bytes,
    (copy.bytes * 1e9 / copy.total_ns)::BIGINT AS rate_bytes_per_s,
    copy.total_ns::BIGINT AS copied_ns,
    (coalesce(staging.idle_ns, 0) * copy.count / copy.all_count)::BIGINT AS staging_ns,
    staging_ns > 0.1 * copied_ns AS is_staged,
    copy.steps IS NULL AS is_single
FROM copy
LEFT JOIN staging ON copy.part_id = staging.part_id
WHERE copy.total_ns > 0
ORDER BY copy.part_id
