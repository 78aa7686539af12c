-- The launching thread waits for another thread or rank.
--
-- Seen in an MPI call, a wake-up by another thread, or launches of another thread before.
-- Needs  _idle_gap
-- Finding
--     says if other  The launching thread waits for {other} while the GPU is idle: {total_ns} in {gap_count} gaps.
--     says if is_mpi  The launching thread waits for other ranks ({subject}) while the GPU is idle: {total_ns} in {gap_count} gaps.
--     says  The launching thread waits for another thread while the GPU is idle: {total_ns} in {gap_count} gaps.
--     do if other  Look at what {other} does meanwhile; let it hand work over earlier.
--     do if is_mpi  Send earlier, and launch what needs no message before the wait; `nsysql ranks` finds a late rank.
--     do if is_traced  Let the other thread hand work over earlier; --cpuctxsw=process-tree would show which one it is.
--     do  Let the other thread hand work over earlier; --trace=osrt and --cpuctxsw=process-tree would show which one it is.
-- Columns
--     other       VARCHAR  -- The thread, process or rank; NULL if it is not known.
--     is_mpi      BOOLEAN  -- It is in an MPI call.
--     is_traced   BOOLEAN  -- It is not, and the export has OS calls.
--     _part_claim: gap_count, longest_ns, nvtx_path
SELECT
    claim.part_id,
    claim.gpu_id,
    claim.subject,
    claim.idle_ns AS total_ns,
    claim.idle_ns AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'long' AS claims,
    CASE WHEN regexp_matches(claim.subject, '^(probably )?(thread|rank|process) ') THEN claim.subject END AS other,
    claim.subject LIKE 'MPI\_%' ESCAPE '\' AS is_mpi,
    NOT is_mpi AND EXISTS (
        SELECT call.row_id
        FROM _os_call_ids AS call
    ) AS is_traced,
    claim.gap_count,
    claim.longest_ns,
    claim.nvtx_path
FROM _part_claim AS claim
WHERE claim.code = 'waits-for-thread'
ORDER BY claim.part_id
