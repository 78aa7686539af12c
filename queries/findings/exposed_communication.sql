-- Communication kernels (NCCL and the like) while the GPU computes nothing.
--
-- Over 1 % of the part. Of GPUs with about as many such kernels, the others wait for the one that has least of this time:
-- overlapping saves at most that; the rest is told by uneven-gpus, gpus-take-turns, or by what delays that GPU. If other
-- kernels run for less than a tenth of the time, there is nothing to overlap it with, and what larger messages or a rank
-- that is less late would save is not known.
-- Needs  _kernel_ids
-- Finding
--     says if is_one  {count} communication kernels run for {total_ns}, {longest_ns} of it in one.
--     says if is_turn  {count} communication kernels take {total_ns}; for {alone_ns} they run with no compute beside them, mostly waiting for another GPU that computes.
--     says if late_gpu  {count} communication kernels run for {alone_ns} with no compute beside them, {waiting_ns} of it waiting for GPU {late_gpu}.
--     says if is_alone  {count} communication kernels run for {total_ns}, with no compute beside them.
--     says  {count} communication kernels take {total_ns}; for {alone_ns} they run with no compute beside them.
--     do if is_one  Find out what delayed this one: another rank, or the network. `nsysql ranks` finds a late rank.
--     do if is_turn  Let the GPUs compute at the same time (gpus-take-turns): overlap hides only {saves_ns}.
--     do if is_peer  They wait for their peer: balance the GPUs; in a pipeline use more micro-batches; else overlap them with compute.
--     do if is_all  Little else runs that could overlap them: send fewer and larger messages; `nsysql ranks` finds a late rank.
--     do  Overlap them with compute (separate stream, gradient buckets) or send larger messages; `nsysql ranks` finds a late rank.
-- Columns
--     count       BIGINT   -- Launches.
--     alone_ns    BIGINT   -- Time in which no other kernel and no CUDA graph runs.
--     is_alone    BOOLEAN  -- All of their time.
--     late_gpu    VARCHAR  -- GPU with least such time, if it is less than half of it.
--     waiting_ns  BIGINT   -- The difference.
--     is_turn     BOOLEAN  -- The GPUs take turns (view _gpu_turn), and none computes in less than half of alone_ns.
--     is_peer     BOOLEAN  -- Most of this time is in kernels that send and receive.
--     is_all      BOOLEAN  -- Hardly any other kernels run.
--     longest_ns  BIGINT   -- The longest.
--     is_one      BOOLEAN  -- The longest of several has over half of the time.
WITH judged AS (
    SELECT
        kernel.part_id,
        kernel.gpu_id,
        sum(kernel.total_ns) FILTER (WHERE class = 'communication') AS total_ns,
        sum(kernel.count) FILTER (WHERE class = 'communication') AS count,
        own.exposed_ns,
        max(kernel.longest_ns) FILTER (WHERE class = 'communication') AS longest_ns,
        2 * sum(kernel.total_ns) FILTER (WHERE contains(kernel.name, 'Kernel_SendRecv'))
        > sum(kernel.total_ns) FILTER (WHERE class = 'communication') AS is_peer,
        own.computing_ns < OVERLAPPING_SHARE * own.exposed_ns AS is_all
    FROM _judged_kernel AS kernel
    INNER JOIN _part_communication AS own ON kernel.part_id = own.part_id AND kernel.gpu_id = own.gpu_id
    GROUP BY kernel.part_id, kernel.gpu_id, own.exposed_ns, own.computing_ns
    HAVING own.exposed_ns > COMMUNICATION_SHARE * any_value(kernel.part_ns)
),

other AS (  -- GPUs that do not exchange data with this one rarely have about as many communication kernels
    SELECT other.*
    FROM judged
    INNER JOIN _part_communication AS other ON judged.part_id = other.part_id AND judged.gpu_id <> other.gpu_id
    WHERE least(other.count, judged.count) >= GROUP_SHARE * greatest(other.count, judged.count)
)

SELECT
    judged.part_id,
    judged.gpu_id,
    'communication' AS subject,
    total_ns::BIGINT AS total_ns,
    (CASE WHEN NOT is_all THEN least(judged.exposed_ns, late.exposed_ns, turn.none_ns) END)::BIGINT AS saves_ns,
    CASE WHEN is_all THEN 'unknown' ELSE 'at most' END AS bound,
    'likely' AS certainty,
    false AS once,
    'communication' AS claims,
    judged.count::BIGINT AS count,
    judged.exposed_ns::BIGINT AS alone_ns,
    judged.exposed_ns = judged.total_ns AS is_alone,
    CASE WHEN 2 * late.exposed_ns < judged.exposed_ns THEN late.gpu_id END::VARCHAR AS late_gpu,
    (judged.exposed_ns - late.exposed_ns)::BIGINT AS waiting_ns,
    coalesce(2 * turn.none_ns < judged.exposed_ns, false) AS is_turn,
    coalesce(is_peer, false) AS is_peer,
    is_all,
    longest_ns::BIGINT AS longest_ns,
    judged.count > 1 AND 2 * longest_ns > total_ns AS is_one
FROM judged
LEFT JOIN other AS late ON judged.part_id = late.part_id
LEFT JOIN _gpu_turn AS turn ON judged.part_id = turn.part_id
QUALIFY row_number() OVER (PARTITION BY judged.part_id ORDER BY late.exposed_ns ASC, late.gpu_id ASC) = 1
ORDER BY judged.part_id ASC, total_ns DESC, subject ASC
