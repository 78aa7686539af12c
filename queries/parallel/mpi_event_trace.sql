-- MPI calls; a thread with several ranks in the export has a row per rank.
--
-- A send-receive with two partners has a row for each direction. The rank is NULL if the export does not
-- record it.
-- Needs  mpi_event
-- Columns
--     start_ns         BIGINT   -- [Start (ns)] Start of the call.
--     end_ns           BIGINT   -- [End (ns)] Return of the call; NULL if it was still under way.
--     duration_ns      BIGINT   -- [Duration (ns)] Duration; NULL if it was still under way.
--     event            VARCHAR  -- [Event] MPI function.
--     pid              BIGINT   -- [Pid] Process.
--     tid              BIGINT   -- [Tid] Thread.
--     tag              BIGINT   -- [Tag] Message tag; sends and receives only.
--     rank             BIGINT   -- [Rank] Rank of the thread.
--     peer_rank        BIGINT   -- [PeerRank] Rank at the other end; sends and receives only.
--     root_rank        BIGINT   -- [RootRank] Root; collectives only.
--     size_bytes       BIGINT   -- [Size (MB)] Message size; sends and receives only.
--     coll_send_bytes  BIGINT   -- [CollSendSize (MB)] Bytes sent; collectives only.
--     coll_recv_bytes  BIGINT   -- [CollRecvSize (MB)] Bytes received; collectives only.
-- Same as  nsys stats --report mpi_event_trace
SELECT
    event.start_ns,
    event.end_ns,
    event.dur_ns AS duration_ns,
    string.text AS event,
    event.pid,
    event.tid,
    event.tag,
    mpi_rank.rank,
    event.peer_rank,
    event.root_rank,
    event.bytes AS size_bytes,
    event.send_bytes AS coll_send_bytes,
    event.recv_bytes AS coll_recv_bytes
FROM mpi_event AS event
LEFT JOIN string ON event.name_id = string.id
LEFT JOIN mpi_rank ON event.thread_id = mpi_rank.thread_id
ORDER BY
    event.start_ns ASC,
    list_position(['p2p', 'start_wait', 'other', 'collectives'], event.source) ASC,
    event.row_id ASC,
    mpi_rank.rank ASC
