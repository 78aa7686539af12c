-- MPI rank of each thread.
--
-- Needs  MPI_RANKS
-- Columns
--     row_id     BIGINT  -- Position in the export's table.
--     thread_id  BIGINT  -- Thread (globalTid).
--     rank       BIGINT  -- Rank in MPI_COMM_WORLD.
SELECT
    rowid AS row_id,
    globalTid AS thread_id,
    rank
FROM raw.MPI_RANKS
