-- Time after the last GPU work.
--
-- From the last GPU work, or the host's last read of a unified memory page after it, to the last CUDA call. Over 10 % of the
-- GPU's window. Not if kernels or graphs are launched in it: then their records were lost, and the GPU may have worked.
-- Needs  _idle_gap, _api_call_ids
-- Finding
--     says if is_after_reads  {total_ns} elapse between the host's last read of managed memory and the last CUDA call.
--     says  {total_ns} elapse between the last GPU work and the last CUDA call.
--     do  End the capture, or free resources, earlier; faster GPU work does not shorten this.
-- Columns
--     is_after_reads  BOOLEAN  -- The host read managed memory after the last GPU work.
WITH finished AS (
    SELECT
        part_id,
        max(end_ns) AS at_ns
    FROM _part_gap
    WHERE is_after_work
    GROUP BY part_id
)

SELECT
    part.part_id,
    part.gpu_id,
    'end of the program' AS subject,
    (part.end_ns - coalesce(finished.at_ns, part.start_ns))::BIGINT AS total_ns,
    NULL::BIGINT AS saves_ns,
    'unknown' AS bound,
    'certain' AS certainty,
    true AS once,
    NULL::VARCHAR AS claims,
    finished.at_ns IS NOT NULL AS is_after_reads
FROM part
LEFT JOIN finished ON part.part_id = finished.part_id
WHERE
    part.kind = 'after' AND total_ns > AFTER_SHARE * part.window_ns
    AND NOT EXISTS (
        SELECT call.part_id
        FROM part_call AS call
        WHERE
            call.part_id = part.part_id
            AND regexp_matches(call.name, '^cu(da)?(Launch(Cooperative)?Kernel|GraphLaunch)')
    )
ORDER BY part.part_id
