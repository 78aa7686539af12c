-- Idle time of a GPU in a part: by step, cause and what it follows, with where the program was.
--
-- Needs  _idle_gap
-- Engine  table
-- Columns
--     part_id      BIGINT   -- The part.
--     gpu_id       BIGINT   -- Physical GPU.
--     step         BIGINT   -- Number of the steady step; NULL outside of steps.
--     cause        VARCHAR  -- The cause (query idle-causes).
--     claim        VARCHAR  -- Which advice it is about: profiler, once, allocation, managed, staging, sync, queued, short (gaps below 200 us) or long.
--     is_long      BOOLEAN  -- In a gap of 200 us or more.
--     thread_id    BIGINT   -- Thread that launched the next activity.
--     nvtx_path    VARCHAR  -- NVTX ranges that the thread was in.
--     function     VARCHAR  -- Function that the thread was in, by call stacks.
--     waits_for    VARCHAR  -- Thread or rank that it waited for.
--     call_name    VARCHAR  -- Call or function of the operating system that is the evidence.
--     drained_by   VARCHAR  -- Blocking call after which the queue was empty.
--     next_kind    VARCHAR  -- Kind of the activity that ended the gap.
--     idle_ns      BIGINT   -- Idle time.
--     gap_count    BIGINT   -- Gaps.
--     longest_ns   BIGINT   -- Most of one gap that is under this.
WITH path AS (
    SELECT
        gap_id,
        piece_ns,
        arg_max(path_number, end_ns - start_ns) AS path_number
    FROM _idle_piece_path
    WHERE gap_id IS NOT NULL
    GROUP BY gap_id, piece_ns
),

call AS (
    SELECT DISTINCT ON (row_id)
        row_id,
        name_id
    FROM _drain_call
    ORDER BY row_id
),

of_gap AS (
    SELECT
        piece.part_id,
        piece.gpu_id,
        piece.gap_id,
        piece.step,
        piece.cause,
        piece.claim,
        piece.is_long,
        piece.thread_id,
        path.path_number,
        place.function,
        _idle_wait.waits_for,
        piece.evidence_name_id,
        piece.drained_by_row,
        piece.next_kind,
        sum(piece.idle_ns) AS idle_ns
    FROM _part_piece AS piece
    LEFT JOIN path
        ON
            piece.gap_id = path.gap_id
            AND piece.piece_ns = path.piece_ns
    LEFT JOIN _idle_piece_function AS place
        ON
            piece.gap_id = place.gap_id
            AND piece.piece_ns = place.piece_ns
    LEFT JOIN _idle_wait
        ON
            piece.evidence_table = _idle_wait.source
            AND piece.evidence_row_id = _idle_wait.row_id
    GROUP BY ALL
)

SELECT
    of_gap.part_id,
    of_gap.gpu_id,
    of_gap.step,
    of_gap.cause,
    CASE
        WHEN of_gap.step IS NULL AND of_gap.cause = 'host_code' AND is_compilation(_nvtx_path.nvtx_path) THEN 'once'
        ELSE of_gap.claim
    END AS claim,
    of_gap.is_long,
    of_gap.thread_id,
    _nvtx_path.nvtx_path,
    of_gap.function,
    of_gap.waits_for,
    name.name AS call_name,
    drain.name AS drained_by,
    of_gap.next_kind,
    sum(of_gap.idle_ns)::BIGINT AS idle_ns,
    count(DISTINCT of_gap.gap_id) AS gap_count,
    max(of_gap.idle_ns)::BIGINT AS longest_ns
FROM of_gap
LEFT JOIN _nvtx_path ON of_gap.path_number = _nvtx_path.path_number
LEFT JOIN _api_cause AS name ON of_gap.evidence_name_id = name.id
LEFT JOIN call ON of_gap.drained_by_row = call.row_id
LEFT JOIN _api_cause AS drain ON call.name_id = drain.id
GROUP BY ALL
