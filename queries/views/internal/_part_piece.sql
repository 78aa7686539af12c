-- Pieces of gaps with the part and step that each is in, and which advice its time is about.
--
-- Needs  _idle_gap
-- Columns
--     part_id           BIGINT   -- The part.
--     gpu_id            BIGINT   -- Physical GPU.
--     step              BIGINT   -- Number of the steady step; NULL outside of steps.
--     gap_id            BIGINT   -- The gap.
--     piece_ns          BIGINT   -- Start of the piece, not clipped.
--     cause             VARCHAR  -- The cause.
--     thread_id         BIGINT   -- Thread that launched the next activity.
--     evidence_table    VARCHAR  -- NVIDIA's table of the evidence; NULL where no row is the evidence.
--     evidence_row_id   BIGINT   -- Position in that table.
--     evidence_name_id  BIGINT   -- Name of the evidence.
--     drained_by_row    BIGINT   -- The blocking call after which the queue was empty; NULL if none.
--     next_kind         VARCHAR  -- Kind of the activity that ends the gap.
--     idle_ns           BIGINT   -- Length of the piece, clipped to the part.
--     claim             VARCHAR  -- profiler, once, allocation, managed, staging, sync, queued, short or long.
--     is_long           BOOLEAN  -- The gap is at least as long as short_gap_ns (view thresholds).
SELECT
    gap.part_id,
    gap.gpu_id,
    gap.step,
    gap.gap_id,
    piece.start_ns AS piece_ns,
    piece.cause::VARCHAR AS cause,
    piece.thread_id,
    piece.evidence_table::VARCHAR AS evidence_table,
    piece.evidence_row_id,
    piece.evidence_name_id,
    gap.drained_by_row,
    gap.next_kind,
    least(piece.end_ns, gap.end_ns) - greatest(piece.start_ns, gap.start_ns) AS idle_ns,
    CASE
        WHEN piece.cause = 'profiler' THEN 'profiler'
        WHEN piece.cause IN ('module_load', 'context_setup', 'first_launch') THEN 'once'
        WHEN piece.cause IN ('memory_management', 'stream_and_event_setup') THEN 'allocation'
        WHEN piece.cause = 'unified_memory' THEN 'managed'
        WHEN piece.cause = 'pageable_copy' THEN 'staging'
        WHEN gap.drained_by_row IS NOT NULL OR piece.cause IN ('sync_return', 'sync_wait') THEN 'sync'
        WHEN
            piece.cause IN ('graph_dependency', 'launch_batch', 'stream_wait', 'queued_unexplained', 'blocked_launch')
            THEN 'queued'
        WHEN gap.gap_ns < least.short_gap_ns THEN 'short'
        ELSE 'long'
    END AS claim,
    gap.gap_ns >= least.short_gap_ns AS is_long
FROM _idle_piece AS piece
INNER JOIN _part_gap AS gap
    ON
        piece.gap_id = gap.gap_id
        AND piece.start_ns < gap.end_ns
        AND piece.end_ns > gap.start_ns
CROSS JOIN thresholds AS least
