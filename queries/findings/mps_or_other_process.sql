-- Work is queued without a known reason while another process of the export uses the GPU.
--
-- The GPU switches between processes, or they share it by MPS. Over 5 % of the part.
-- Needs  _idle_gap
-- Finding
--     says  Work is queued for {total_ns} without a known reason; {subject} use this GPU.
--     do  Share the GPU less, or by MPS; record all processes to see what runs meanwhile.
-- Columns
--     gap_count  BIGINT  -- Gaps.
WITH queued AS (
    SELECT
        part_id,
        sum(idle_ns)::BIGINT AS idle_ns,
        sum(gap_count)::BIGINT AS gap_count
    FROM part_idle
    WHERE cause = 'queued_unexplained'
    GROUP BY part_id
),

sharing AS (
    SELECT
        gpu_id,
        count(DISTINCT process_id) AS count
    FROM _gpu_process
    GROUP BY gpu_id
)

SELECT
    part.part_id,
    part.gpu_id,
    sharing.count || ' processes' AS subject,
    queued.idle_ns AS total_ns,
    queued.idle_ns AS saves_ns,
    'at most' AS bound,
    'possible' AS certainty,
    false AS once,
    'queued' AS claims,
    queued.gap_count
FROM part
CROSS JOIN thresholds AS least
INNER JOIN queued ON part.part_id = queued.part_id
INNER JOIN sharing ON part.gpu_id IS NOT DISTINCT FROM sharing.gpu_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND queued.idle_ns > least.queued_share * part.length_ns
    AND sharing.count > 1
ORDER BY part.part_id
