-- The MPI rank of a process.
--
-- Where MPI_RANKS is absent, nsys has named the threads by rank.
-- Columns
--     process_id  BIGINT  -- Process (globalPid).
--     rank        BIGINT  -- Its rank; the lowest if it has several.
WITH rank_of AS (
    SELECT
        process_of(thread_id) AS process_id,
        rank
    FROM mpi_rank
    UNION ALL
    SELECT
        process_id,
        regexp_extract(name, '^MPI Rank ([0-9]+)$', 1)::BIGINT AS rank
    FROM thread
    WHERE regexp_matches(name, '^MPI Rank [0-9]+$')
)

SELECT
    process_id,
    min(rank) AS rank
FROM rank_of
GROUP BY process_id
