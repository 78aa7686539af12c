-- MPI calls, with their names as ids of `string`.
--
-- A send-receive with two partners has a row for each direction.
-- Needs  MPI_P2P_EVENTS or MPI_START_WAIT_EVENTS or MPI_OTHER_EVENTS or MPI_COLLECTIVES_EVENTS
-- Columns
--     source        VARCHAR  -- p2p, start_wait, other or collectives.
--     row_id        BIGINT   -- Position in the export's table of that source.
--     start_ns      BIGINT   -- Start of the call.
--     end_ns        BIGINT   -- Return of the call; NULL if it was still under way.
--     dur_ns        BIGINT   -- Duration; NULL if it was still under way.
--     usual: thread_id, process_id, pid, tid, name_id
--     tag           BIGINT   -- Message tag; sends and receives only.
--     peer_rank     BIGINT   -- Rank at the other end; sends and receives only.
--     root_rank     BIGINT   -- Root; collectives only.
--     bytes         BIGINT   -- Message size; sends and receives only.
--     send_bytes    BIGINT   -- Bytes sent; collectives only.
--     recv_bytes    BIGINT   -- Bytes received; collectives only.
WITH event AS (
    -- noqa: disable=LT09
    SELECT 'p2p' AS source, * FROM raw.MPI_P2P_EVENTS
    UNION ALL BY NAME
    SELECT 'start_wait' AS source, * FROM raw.MPI_START_WAIT_EVENTS
    UNION ALL BY NAME
    SELECT 'other' AS source, * FROM raw.MPI_OTHER_EVENTS
    UNION ALL BY NAME
    SELECT 'collectives' AS source, size AS sendSize, * EXCLUDE (size) FROM raw.MPI_COLLECTIVES_EVENTS
)

SELECT
    source,
    rowid AS row_id,
    unnest(thread_times(start, "end", globalTid)) AS called,
    textId AS name_id,
    tag,
    remoteRank AS peer_rank,
    rootRank AS root_rank,
    size AS bytes,
    sendSize AS send_bytes,
    recvSize AS recv_bytes
FROM event
