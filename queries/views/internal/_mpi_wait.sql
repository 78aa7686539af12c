-- An MPI call of a thread, as a time in which it waited for other ranks or moved data between them.
--
-- A call that never returned reaches far beyond the capture: three hours after its start.
-- A table: read more than once.
-- Needs  mpi_event
-- Engine  table if EXISTS (FROM mpi_event)
-- Columns
--     source     VARCHAR  -- p2p, start_wait, other or collectives.
--     row_id     BIGINT   -- Position in the export's table of that source.
--     start_ns   BIGINT   -- Start of the call.
--     end_ns     BIGINT   -- Return of the call.
--     thread_id  BIGINT   -- Thread (globalTid).
--     name_id    BIGINT   -- Name.
SELECT
    source,
    row_id,
    start_ns,
    coalesce(end_ns, start_ns + 10_000_000_000_000) AS end_ns,
    thread_id,
    name_id
FROM mpi_event
WHERE start_ns IS NOT NULL
