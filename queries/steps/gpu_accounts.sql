-- A GPU and an account: what its time was spent on, each nanosecond once.
--
-- Every nanosecond of a GPU's window, from its first to its last activity, is in exactly one account, so the
-- accounts of a GPU sum to its window. It counts for the first of these that runs: computing kernels, CUDA graphs
-- traced as a whole, communication kernels (view communication_kernel), copies, memsets; if nothing runs, it is
-- idle, by cause (docs/idle.md). Among several activities of one kind, it counts for the one that started first
-- (then: ends last, lower process, stream, row). So communication and copies have only their exposed time.
-- Needs  _gpu_work_ids
-- Parameters
--     gpu          BIGINT = NULL    -- Only this GPU.
--     start_ns     BIGINT = NULL    -- Start of the interval to analyze; times are clipped.
--     end_ns       BIGINT = NULL    -- End of the interval to analyze; times are clipped.
--     per_process  BOOLEAN = false  -- Keep each process's devices separate; gpu_id is then pid * 1000 + ordinal.
-- Columns
--     gpu_id      BIGINT   -- Physical GPU.
--     kind        VARCHAR  -- computing, graph, communication, copy, memset or idle.
--     name        VARCHAR  -- Kernel; copies by direction and memory, memsets by memory; idle time by cause.
--     total_ns    BIGINT   -- Time of the window in this account.
--     window_pct  DOUBLE   -- Share of the window.
--     count       BIGINT   -- Activities, or gaps, that have some of it.
WITH piece AS (
    SELECT
        *,
        within_ns(start_ns, end_ns, $start_ns, $end_ns) AS dur_ns
    FROM _account_piece
    WHERE is_asked(start_ns, end_ns, $start_ns, $end_ns, gpu_id, $gpu)
),

by_id AS (
    SELECT
        gpu_id,
        kind,
        name_id,
        label,
        sum(dur_ns)::BIGINT AS total_ns,
        CASE
            WHEN $start_ns IS NULL AND $end_ns IS NULL THEN count(*) FILTER (WHERE is_first)
            ELSE count(DISTINCT CASE WHEN $start_ns IS NOT NULL OR $end_ns IS NOT NULL THEN item_id END)
        END AS items
    FROM piece
    GROUP BY gpu_id, kind, name_id, label
)

SELECT
    by_id.gpu_id,
    by_id.kind::VARCHAR AS kind,
    coalesce(by_id.label, string.text) AS name,
    sum(by_id.total_ns)::BIGINT AS total_ns,
    100 * sum(by_id.total_ns) / sum(sum(by_id.total_ns)) OVER (PARTITION BY by_id.gpu_id) AS window_pct,
    sum(by_id.items)::BIGINT AS count
FROM by_id
LEFT JOIN string ON by_id.name_id = string.id
GROUP BY by_id.gpu_id, by_id.kind, coalesce(by_id.label, string.text)
ORDER BY by_id.gpu_id ASC, total_ns DESC, by_id.kind ASC, name ASC
