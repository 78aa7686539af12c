-- GPUs that wait for the one with most work.
--
-- GPUs of one process, or of processes with communication kernels or MPI, that run the same kernel, the one with most time
-- on the busiest GPU. That GPU computes for at least 70 % of the part, and at least 1.15 times as long as they do on
-- average. The bound assumes work that can be split evenly; if the launches have as many blocks on each GPU, that this one
-- can be as fast as the others. Communication kernels do not count as computing: in them a GPU waits for others.
-- Needs  _kernel_ids
-- Finding
--     says  Of the {gpu_count} GPUs that run {kernel}, the busiest computes for {total_ns}; the mean is {mean_ns}.
--     do if is_alike  Its launches have as many blocks as the others': check its clock (nvidia-smi -q -d PERFORMANCE). If its data take longer, give it less.
--     do  Give it less work, so that all finish together.
-- Columns
--     gpu_count  BIGINT   -- GPUs, this one included.
--     kernel     VARCHAR  -- The kernel with most time.
--     mean_ns    BIGINT   -- How long they compute on average.
--     is_alike   BOOLEAN  -- The kernel's launches have as many blocks on all.
WITH named AS (
    SELECT
        kernel.part_id,
        kernel.gpu_id,
        part.process_id,
        kernel.name,
        sum(kernel.total_ns) AS total_ns,
        sum(sum(kernel.block_count * kernel.count)) OVER (PARTITION BY kernel.gpu_id, kernel.name) AS blocks
    FROM part_kernel AS kernel
    INNER JOIN part ON kernel.part_id = part.part_id
    WHERE kernel.class <> 'communication' AND part.kind IN ('series', 'rest', 'work')
    GROUP BY kernel.part_id, kernel.gpu_id, part.process_id, kernel.name
),

-- Each part with the GPUs that run its largest kernel.
peer AS (
    SELECT DISTINCT
        largest.part_id,
        largest.name,
        other.gpu_id,
        other.blocks
    FROM (
        SELECT * FROM named
        QUALIFY row_number() OVER (PARTITION BY part_id ORDER BY total_ns DESC, name ASC) = 1
    ) AS largest
    INNER JOIN named AS other ON largest.name = other.name
    WHERE
        largest.process_id = other.process_id
        OR EXISTS (SELECT kernel.part_id FROM part_kernel AS kernel WHERE kernel.class = 'communication')
        OR EXISTS (SELECT call.row_id FROM mpi_event AS call)
)

SELECT
    part.part_id,
    part.gpu_id,
    'GPU ' || part.gpu_id AS subject,
    max(busy.busy_ns)::BIGINT AS total_ns,
    (
        (max(busy.busy_ns) - avg(busy.busy_ns)) * CASE
            WHEN any_value(peer.blocks) FILTER (WHERE peer.gpu_id = part.gpu_id) < UNEVEN_RATIO * avg(peer.blocks)
                THEN count(*) / (count(*) - 1)
            ELSE 1
        END
    )::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'turns' AS claims,
    count(*) AS gpu_count,
    any_value(peer.name) AS kernel,
    avg(busy.busy_ns)::BIGINT AS mean_ns,
    any_value(peer.blocks) FILTER (WHERE peer.gpu_id = part.gpu_id) < UNEVEN_RATIO * avg(peer.blocks) AS is_alike
FROM part
INNER JOIN peer ON part.part_id = peer.part_id
INNER JOIN _part_busy AS busy
    ON peer.part_id = busy.part_id AND peer.gpu_id = busy.gpu_id AND busy.class = 'computing' AND busy.busy_ns > 0
GROUP BY part.part_id, part.gpu_id, part.length_ns
HAVING
    arg_max(peer.gpu_id, row(busy.busy_ns, -peer.gpu_id)) = part.gpu_id
    AND max(busy.busy_ns) >= UNEVEN_SHARE * part.length_ns
    AND max(busy.busy_ns) >= UNEVEN_RATIO * avg(busy.busy_ns)
ORDER BY part.part_id
