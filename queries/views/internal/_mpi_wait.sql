-- An MPI call of a thread, as a time in which it waited for other ranks or moved data between them.
--
-- A call that never returned ends three hours after its start, far beyond the capture.
-- Needs  mpi_event
-- Engine  table if EXISTS (FROM mpi_event)
-- Columns
--     mpi_event: source, row_id, start_ns
--     end_ns     BIGINT   -- Return of the call.
--     usual: thread_id, name_id
SELECT
    source,
    row_id,
    start_ns,
    coalesce(end_ns, start_ns + 10_000_000_000_000) AS end_ns,
    thread_id,
    name_id
FROM mpi_event
WHERE start_ns IS NOT NULL
