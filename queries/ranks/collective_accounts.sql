-- A collective and an account: what the process did between the previous collectives and its arrival at this one.
--
-- Two clocks: `gpu`, the accounts of gpu_accounts on the process's GPU, and `cpu`, the NVTX ranges of the collective's
-- thread, each nanosecond once. Each sums to the time from the end of the previous collectives to the arrival, as far as
-- it is in the GPU's window. The first collective of a process has no such time. `launch` is the computing time of the
-- GPU again, by the NVTX ranges around the launches of its kernels.
-- Needs  _collective
-- Columns
--     _collective_piece: collective_id, clock, kind
--     name           VARCHAR  -- Kernel, copy, memset or cause of idle time; path of ranges, numbers in it as #.
--     total_ns       BIGINT   -- Time in this account.
SELECT
    piece.collective_id,
    piece.clock,
    piece.kind,
    coalesce(piece.label, string.text) AS name,
    sum(piece.dur_ns)::BIGINT AS total_ns
FROM _collective_piece AS piece
LEFT JOIN string ON piece.name_id = string.id
GROUP BY ALL
ORDER BY piece.collective_id ASC, piece.clock ASC, total_ns DESC, piece.kind ASC, name ASC
