-- Packets in queues of the Windows display driver model (WDDM), from start to stop.
--
-- A start and a stop belong together if they share context and packet number and the stop is not before the
-- start. Paging queues are left out.
-- Needs  WDDM_QUEUE_PACKET_START_EVENTS or WDDM_DMA_PACKET_START_EVENTS,
--         WDDM_QUEUE_PACKET_STOP_EVENTS or WDDM_DMA_PACKET_STOP_EVENTS
-- Columns
--     queue_kind   VARCHAR  -- queue (of the driver) or dma (of the hardware).
--     row_id       BIGINT   -- Position of the start in the export's table of that kind.
--     stop_row_id  BIGINT   -- Position of the stop there.
--     start_ns     BIGINT   -- Start.
--     end_ns       BIGINT   -- Stop.
--     usual: dur_ns, process_id, pid
--     gpu_id       BIGINT   -- GPU.
--     context      BIGINT   -- The queue.
--     engine_type  BIGINT   -- Engine, by number; 1 is 3D.
WITH packet_start AS (
    -- noqa: disable=LT09
    SELECT 'queue' AS queue_kind, submitSequence AS packet, * FROM raw.WDDM_QUEUE_PACKET_START_EVENTS
    UNION ALL BY NAME
    SELECT 'dma' AS queue_kind, uliSubmissionId AS packet, * FROM raw.WDDM_DMA_PACKET_START_EVENTS
),

packet_stop AS (
    SELECT 'queue' AS queue_kind, submitSequence AS packet, * FROM raw.WDDM_QUEUE_PACKET_STOP_EVENTS
    UNION ALL BY NAME
    SELECT 'dma' AS queue_kind, uliCompletionId AS packet, * FROM raw.WDDM_DMA_PACKET_STOP_EVENTS
)

SELECT
    packet_start.queue_kind,
    packet_start.rowid AS row_id,
    packet_stop.rowid AS stop_row_id,
    packet_start.start AS start_ns,
    packet_stop.start AS end_ns,
    packet_stop.start - packet_start.start AS dur_ns,
    process_of(packet_start.globalTid) AS process_id,
    pid_of(packet_start.globalTid) AS pid,
    packet_start.gpu AS gpu_id,
    packet_start.context,
    packet_start.engineType AS engine_type
FROM packet_start
INNER JOIN packet_stop
    ON
        packet_start.queue_kind = packet_stop.queue_kind
        AND packet_start.context = packet_stop.context
        AND packet_start.packet = packet_stop.packet
        AND packet_start.start <= packet_stop.start
