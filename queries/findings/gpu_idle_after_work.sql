-- Time after the last GPU work.
--
-- Over 10 % of the captured time from the first to the last call; after the host's last page of unified memory.
-- Needs  _idle_gap
-- Finding
--     says  From the last GPU work to the last CUDA call {total_ns} pass.
--     do  End the capture or free resources earlier; it is not the speed of the GPU's work.
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
    NULL::VARCHAR AS claims
FROM part
CROSS JOIN thresholds AS least
LEFT JOIN finished ON part.part_id = finished.part_id
WHERE part.kind = 'after' AND total_ns > least.after_share * part.window_ns
ORDER BY part.part_id
