-- A collective of a process that no rank leaves before the last one arrives: an NCCL kernel, or else an MPI call.
--
-- For a process with NCCL kernels only these; for others barriers and the MPI calls that give each rank data of all
-- (allreduce, alltoall, allgather, reduce-scatter). Sends and receives right before such a call, each at most 100 us
-- after the previous one, begin the same exchange. `nsysql ranks` matches them across processes and exports.
-- Needs  _collective
-- Parameters
--     start_ns  BIGINT = NULL  -- Only collectives that end after this time.
--     end_ns    BIGINT = NULL  -- Only collectives that begin before this time.
-- Columns
--     _collective: collective_id
--     usual: pid
--     _collective: source, name, gpu_id, communicator, rank_count, arrived_at_ns, start_ns, end_ns, previous_end_ns
--     _collective: thread_id, process_id, range_row_id
SELECT
    collective_id,
    pid_of(process_id) AS pid,
    * EXCLUDE (collective_id, thread_id, process_id, range_row_id),
    thread_id,
    process_id,
    range_row_id
FROM _collective
WHERE
    ($start_ns IS NULL AND $end_ns IS NULL)
    OR is_within(arrived_at_ns, end_ns, $start_ns, $end_ns)
ORDER BY collective_id ASC
