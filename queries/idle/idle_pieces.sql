-- A piece of a gap booked to one cause, with the row that is the evidence.
--
-- The pieces of a gap follow each other without overlap and fill it.
-- Needs  idle_gap_record
-- Computed if
--     idle_path_record needed where $paths
--     idle_path_name needed where $paths
-- Parameters
--     gap          BIGINT = NULL    -- Only this gap.
--     gpu          BIGINT = NULL    -- Only this GPU.
--     start_ns     BIGINT = NULL    -- Narrow the window to what is at or after this time; gaps are clipped.
--     end_ns       BIGINT = NULL    -- Narrow the window to what is before this time; gaps are clipped.
--     per_process  BOOLEAN = false  -- Keep each process's devices apart; gpu_id is then pid * 1000 + ordinal.
--     paths        BOOLEAN = true   -- Fill nvtx_path; without it NVTX is not read, which takes longest.
-- Columns
--     gpu_id           BIGINT   -- Physical GPU.
--     gap_id           BIGINT   -- The gap.
--     cause            VARCHAR  -- The cause.
--     start_ns         BIGINT   -- Start.
--     end_ns           BIGINT   -- End.
--     dur_ns           BIGINT   -- Duration.
--     thread_id        BIGINT   -- Thread that launched the gap's next activity (globalTid).
--     evidence_table   VARCHAR  -- NVIDIA's table of the evidence; NULL where no row is the evidence.
--     evidence_row_id  BIGINT   -- Position in that table.
--     evidence_name    VARCHAR  -- Name of the evidence.
--     nvtx_path        VARCHAR  -- NVTX ranges of that thread at the start, outermost first.
SELECT
    piece.gpu_id,
    piece.gap_id,
    idle_cause.cause,
    greatest(piece.start_ns, coalesce($start_ns, piece.start_ns)) AS start_ns,
    least(piece.end_ns, coalesce($end_ns, piece.end_ns)) AS end_ns,
    least(piece.end_ns, coalesce($end_ns, piece.end_ns))
    - greatest(piece.start_ns, coalesce($start_ns, piece.start_ns)) AS dur_ns,
    piece.thread_id,
    piece.evidence_table::VARCHAR AS evidence_table,
    piece.evidence_row_id,
    api_name.name AS evidence_name,
    idle_path_name.nvtx_path
FROM idle_piece_record AS piece
INNER JOIN idle_cause ON piece.cause = idle_cause.cause
LEFT JOIN api_name ON piece.evidence_name_id = api_name.id
LEFT JOIN idle_path_record AS path
    ON
        piece.gap_id = path.gap_id
        AND piece.start_ns = path.start_ns
        AND $paths
LEFT JOIN idle_path_name ON path.path_number = idle_path_name.path_number
WHERE
    piece.start_ns < coalesce($end_ns, piece.end_ns)
    AND piece.end_ns > coalesce($start_ns, piece.start_ns)
    AND ($gpu IS NULL OR piece.gpu_id = $gpu)
    AND ($gap IS NULL OR piece.gap_id = $gap)
ORDER BY piece.start_ns ASC, piece.gpu_id ASC, piece.gap_id ASC
