-- A GPU: how much of its idle time the launching thread spent in MPI calls.
--
-- In them the thread waited for other ranks or moved data between them. The sum of the pieces of waiting_for_thread
-- whose evidence is an MPI call; time in a CUDA call within an MPI call counts as the CUDA call.
-- Needs  _idle_gap, mpi_event
-- Parameters
--     usual: gpu, start_ns, end_ns, per_process
-- Columns
--     gpu_id      BIGINT  -- Physical GPU.
--     idle_ns     BIGINT  -- Idle time.
--     in_mpi_ns   BIGINT  -- Idle time in MPI calls.
--     in_mpi_pct  DOUBLE  -- Its share of idle_ns.
WITH piece AS (
    SELECT
        gpu_id,
        within_ns(start_ns, end_ns, $start_ns, $end_ns) AS dur_ns,
        coalesce(starts_with(evidence_table::VARCHAR, 'MPI_'), false) AS is_mpi
    FROM _idle_piece
    WHERE is_asked(start_ns, end_ns, $start_ns, $end_ns, gpu_id, $gpu)
)

SELECT
    gpu_id,
    sum(dur_ns)::BIGINT AS idle_ns,
    coalesce(sum(dur_ns) FILTER (WHERE is_mpi), 0)::BIGINT AS in_mpi_ns,
    100 * coalesce(sum(dur_ns) FILTER (WHERE is_mpi), 0) / sum(dur_ns) AS in_mpi_pct
FROM piece
GROUP BY gpu_id
ORDER BY gpu_id
