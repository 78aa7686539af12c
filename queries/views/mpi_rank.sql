-- MPI rank of each thread.
--
-- Needs  MPI_RANKS
-- Columns
--     usual: row_id, thread_id
--     rank       BIGINT  -- Rank in MPI_COMM_WORLD.
SELECT
    rowid AS row_id,
    globalTid AS thread_id,
    rank
FROM raw.MPI_RANKS
