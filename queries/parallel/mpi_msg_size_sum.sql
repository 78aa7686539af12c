-- Message sizes by MPI function and direction.
--
-- Sends and receives count once (p2p); a collective counts what it sent (coll_send) and what it received
-- (coll_recv). Calls that record no size are left out.
-- A report of nsys versions later than 2023.4.4, from its documentation.
-- Needs  mpi_event
-- Columns
--     total_message_volume_bytes  BIGINT   -- [Total Message Volume] Sum of sizes.
--     instances                   BIGINT   -- [Instances] Number of messages.
--     avg_bytes                   DOUBLE   -- [Avg] Mean size.
--     med_bytes                   DOUBLE   -- [Med] Median size.
--     min_bytes                   BIGINT   -- [Min] Smallest.
--     max_bytes                   BIGINT   -- [Max] Largest.
--     stddev_bytes                DOUBLE   -- [StdDev] Sample standard deviation; 0 for a single one.
--     source                      VARCHAR  -- [Source] p2p, coll_send or coll_recv.
--     name                        VARCHAR  -- [Name] MPI function.
-- Same as  nsys stats --report mpi_msg_size_sum
WITH message AS (
    SELECT
        name_id,
        unnest(['p2p', 'coll_send', 'coll_recv']) AS source,
        unnest([bytes, send_bytes, recv_bytes]) AS bytes
    FROM mpi_event
)

SELECT
    sum(message.bytes)::BIGINT AS total_message_volume_bytes,
    count(*) AS instances,
    avg(message.bytes) AS avg_bytes,
    median(message.bytes) AS med_bytes,
    min(message.bytes) AS min_bytes,
    max(message.bytes) AS max_bytes,
    coalesce(stddev_samp(message.bytes), 0) AS stddev_bytes,
    message.source,
    string.text AS name
FROM message
LEFT JOIN string ON message.name_id = string.id
WHERE message.bytes IS NOT NULL
GROUP BY message.source, string.text
ORDER BY total_message_volume_bytes DESC, message.source ASC, name ASC NULLS FIRST
