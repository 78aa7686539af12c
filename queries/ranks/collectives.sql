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
--     collective_id      BIGINT   -- Number, from 1, by process and arrival.
--     pid                BIGINT   -- The operating system's process number.
--     source             VARCHAR  -- nccl or mpi.
--     name               VARCHAR  -- Text of the range nccl:* around the launch, the kernel's kind, or the MPI call.
--     gpu_id             BIGINT   -- Physical GPU of the kernel; NULL for MPI.
--     communicator       VARCHAR  -- Context and stream of the kernel; handle of the communicator.
--     rank_count  BIGINT   -- Ranks of the communicator; NULL if the export does not say.
--     _collective: arrived_at_ns, start_ns, end_ns
--     previous_end_ns    BIGINT   -- When the process left all earlier ones; NULL for the first.
--     _collective: thread_id, process_id
--     range_row_id       BIGINT   -- Row of the NVTX range of NCCL around the launch; NULL if none.
SELECT
    collective_id,
    pid_of(process_id) AS pid,
    source,
    name,
    gpu_id,
    communicator,
    rank_count,
    arrived_at_ns,
    start_ns,
    end_ns,
    previous_end_ns,
    thread_id,
    process_id,
    range_row_id
FROM _collective
WHERE
    ($start_ns IS NULL AND $end_ns IS NULL)
    OR is_within(arrived_at_ns, end_ns, $start_ns, $end_ns)
ORDER BY collective_id ASC
