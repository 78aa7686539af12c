-- A gap, and the middle of its longest interval in which the GPU waited for the host.
--
-- If NVTX is too large to be read in full, the ranges that the thread is in at that time stand for the gap. For a gap
-- that waited only for the GPU itself, it is the middle of its longest piece.
-- Needs  _idle_gap
-- Parameters
--     gaps       VARCHAR = '0'  -- Numbers of gaps, separated by commas.
-- Columns
--     gap_id     BIGINT   -- The gap.
--     moment_ns  BIGINT   -- That middle.
--     thread_id  BIGINT   -- Thread that launched the gap's next activity (globalTid).
WITH wanted AS (
    SELECT unnest(string_split($gaps, ','))::BIGINT AS gap_id
)

SELECT
    piece.gap_id,
    arg_max(
        piece.start_ns + (piece.end_ns - piece.start_ns) // 2,
        (
            piece.cause NOT IN (
                'graph_dependency',
                'launch_batch',
                'stream_wait',
                'graph_launch',
                'launch_latency',
                'queued_unexplained'
            ),
            piece.end_ns - piece.start_ns
        )
    ) AS moment_ns,
    any_value(piece.thread_id) AS thread_id
FROM _idle_piece AS piece
INNER JOIN wanted ON piece.gap_id = wanted.gap_id
GROUP BY piece.gap_id
ORDER BY piece.gap_id ASC
