-- GPUs that wait for the one with most work.
--
-- GPUs of one process, or of processes with communication kernels or MPI, that run the same kernel, the one with most time
-- on the busiest GPU. That GPU computes for at least 70 % of the part, and at least 1.15 times as long as they do on
-- average. The bound assumes work that can be split evenly. Communication kernels do not count as computing: in them a GPU
-- waits for others.
-- Needs  _kernel_ids
-- Finding
--     says  Of the {gpu_count} GPUs that run {kernel}, the busiest computes for {total_ns}; the mean is {mean_ns}.
--     do  Give it less work, so that all finish together; if it has as much as the others, check its clock (nvidia-smi -q -d PERFORMANCE).
-- Columns
--     gpu_count  BIGINT   -- GPUs, this one included.
--     kernel     VARCHAR  -- The kernel with most time.
--     mean_ns    BIGINT   -- How long they compute on average.
WITH named AS (
    SELECT
        kernel.part_id,
        kernel.gpu_id,
        part.process_id,
        kernel.name,
        sum(kernel.total_ns) AS total_ns
    FROM part_kernel AS kernel
    INNER JOIN part ON kernel.part_id = part.part_id
    WHERE kernel.class <> 'communication' AND part.kind IN ('series', 'rest', 'work')
    GROUP BY ALL
),

-- Each part with the GPUs that run its largest kernel.
peer AS (
    SELECT DISTINCT
        largest.part_id,
        largest.name,
        other.gpu_id
    FROM (
        SELECT * FROM named
        QUALIFY row_number() OVER (PARTITION BY part_id ORDER BY total_ns DESC, name ASC) = 1
    ) AS largest
    INNER JOIN named AS other ON largest.name = other.name
    WHERE
        largest.process_id = other.process_id
        OR EXISTS (SELECT kernel.part_id FROM part_kernel AS kernel WHERE kernel.class = 'communication')
        OR EXISTS (SELECT call.row_id FROM mpi_event AS call)
),

computed AS (
    SELECT
        peer.part_id,
        peer.name,
        peer.gpu_id,
        busy.busy_ns
    FROM peer
    INNER JOIN _part_busy AS busy ON peer.part_id = busy.part_id AND peer.gpu_id = busy.gpu_id
    WHERE busy.class = 'computing' AND busy.busy_ns > 0
)

SELECT
    part.part_id,
    part.gpu_id,
    'GPU ' || part.gpu_id AS subject,
    max(computed.busy_ns)::BIGINT AS total_ns,
    (max(computed.busy_ns) - avg(computed.busy_ns))::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'turns' AS claims,
    count(*) AS gpu_count,
    any_value(computed.name) AS kernel,
    avg(computed.busy_ns)::BIGINT AS mean_ns
FROM part
INNER JOIN computed ON part.part_id = computed.part_id
GROUP BY part.part_id, part.gpu_id, part.length_ns
HAVING
    arg_max(computed.gpu_id, row(computed.busy_ns, -computed.gpu_id)) = part.gpu_id
    AND max(computed.busy_ns) >= UNEVEN_SHARE * part.length_ns
    AND max(computed.busy_ns) >= UNEVEN_RATIO * avg(computed.busy_ns)
ORDER BY part.part_id
