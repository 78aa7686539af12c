-- Packets and utilization of Windows display driver (WDDM) queues, by process, GPU and engine.
--
-- Utilization is the share of time with at least one packet in the queue, from the first start to the last stop
-- of any packet of the process. Paging queues are left out. A 3D queue that other hardware queues belong to is
-- named 3D/Comp; `nsys stats` gives that name only to the context of one of the hardware queues, and prints a
-- queue once per hardware queue that belongs to it.
-- Needs  wddm_packet, TARGET_INFO_WDDM_CONTEXTS
-- Parameters
--     as_nsys  BOOLEAN = false  -- Name and repeat queues as nsys does.
-- Columns
--     utilization_pct  DOUBLE   -- [Utilization (%)] Share of time with a packet in the queue.
--     instances        BIGINT   -- [Instances] Packets.
--     avg_ns           DOUBLE   -- [Avg (ns)] Mean time in the queue.
--     med_ns           DOUBLE   -- [Med (ns)] Median time.
--     usual: min_ns, max_ns, stddev_ns
--     name             VARCHAR  -- [Name] Engine, or the driver's name for the queue; NULL for an unknown engine.
--     q_type           BIGINT   -- [Q Type] 0 for driver queues, 1 for hardware queues.
--     q_name           VARCHAR  -- [Q Name] queue or dma, likewise.
--     pid              BIGINT   -- [PID] Process.
--     gpu_id           BIGINT   -- [GPU ID] GPU.
--     context          BIGINT   -- [Context (hex)] The queue.
--     engine           BIGINT   -- [Engine] Engine, by number.
--     node_ord         BIGINT   -- [Node Ord] Node of the GPU; 0 if unknown.
-- Same as  nsys stats --report wddm_queue_sum
WITH packet AS (
    SELECT
        *,
        max(end_ns) OVER (
            PARTITION BY pid, queue_kind, gpu_id, context, engine_type
            ORDER BY start_ns, end_ns
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS busy_until_ns
    FROM wddm_packet
    WHERE pid IS NOT NULL
),

process_window AS (
    SELECT
        pid,
        max(end_ns) - min(start_ns) AS window_ns
    FROM packet
    GROUP BY pid
),

queue_use AS (
    SELECT
        pid,
        queue_kind,
        gpu_id,
        context,
        engine_type,
        sum(greatest(end_ns - greatest(start_ns, coalesce(busy_until_ns, start_ns)), 0)) AS busy_ns,
        count(*) AS instances,
        spread_ns(dur_ns) AS spread
    FROM packet
    GROUP BY pid, queue_kind, gpu_id, context, engine_type
),

child AS (
    SELECT
        parent_context,
        context,
        row_id,
        context <> parent_context
        AND count(*) OVER () > 2
        AND parent_context = first(context) OVER (ORDER BY row_id) AS is_compute
    FROM wddm_hardware_queue
    WHERE $as_nsys
    UNION ALL
    SELECT
        parent_context,
        NULL AS context,
        NULL AS row_id,
        bool_or(context <> parent_context) AS is_compute
    FROM wddm_hardware_queue
    WHERE NOT $as_nsys
    GROUP BY parent_context
)

SELECT
    100 * queue_use.busy_ns / nullif(process_window.window_ns, 0) AS utilization_pct,
    queue_use.instances,
    unnest(queue_use.spread) AS spread,
    CASE
        WHEN queue_use.engine_type = 0 THEN coalesce(nullif(wddm_queue.friendly_name, ''), 'Other')
        WHEN queue_use.engine_type = 1 AND child.is_compute THEN '3D/Comp'
        WHEN queue_use.engine_type > 0 THEN [
            '3D',
            'Video Decode',
            'Video Encode',
            'Video Processing',
            'Scene Assembly',
            'Copy',
            'Overlay',
            'Crypto'
        ][queue_use.engine_type]
    END AS name,
    CASE queue_use.queue_kind WHEN 'queue' THEN 0::BIGINT ELSE 1 END AS q_type,
    queue_use.queue_kind AS q_name,
    queue_use.pid,
    queue_use.gpu_id,
    queue_use.context,
    queue_use.engine_type AS engine,
    coalesce(wddm_queue.node_ordinal, 0) AS node_ord
FROM queue_use
INNER JOIN process_window ON queue_use.pid = process_window.pid
LEFT JOIN wddm_queue ON queue_use.context = wddm_queue.context
LEFT JOIN child ON queue_use.context = child.parent_context
ORDER BY
    utilization_pct DESC,
    queue_use.pid ASC,
    q_type ASC,
    queue_use.gpu_id ASC,
    queue_use.context ASC,
    queue_use.engine_type ASC,
    wddm_queue.row_id ASC,
    child.context ASC,
    child.row_id ASC
