-- Communication kernels (NCCL and the like) while the GPU runs nothing else.
--
-- Over 1 % of the part. If other kernels run for less than a tenth of that time, there is nothing to overlap it with, and
-- what larger messages or a rank that is less late would save is not known.
-- Needs  _kernel_ids
-- Finding
--     says if is_one  {count} communication kernels run for {total_ns}, {longest_ns} of it in one.
--     says  {count} communication kernels run for {total_ns}; for {alone_ns} nothing else runs.
--     do if is_one  Find out what delayed this one: another rank, or the network. `nsysql ranks` finds a late rank.
--     do if is_all  Little else runs that could overlap them: send fewer and larger messages; `nsysql ranks` finds a late rank.
--     do  Overlap them with compute (separate stream, gradient buckets) or send larger messages; `nsysql ranks` finds a late rank.
-- Columns
--     count       BIGINT   -- Launches.
--     alone_ns    BIGINT   -- Time in which nothing else runs.
--     is_all      BOOLEAN  -- Hardly any other kernels run.
--     longest_ns  BIGINT   -- The longest.
--     is_one      BOOLEAN  -- The longest of several has over half of the time.
WITH summed AS (
    SELECT
        part_id,
        gpu_id,
        part_ns,
        sum(total_ns) FILTER (WHERE class = 'communication') AS total_ns,
        sum(count) FILTER (WHERE class = 'communication') AS count,
        sum(alone_ns) FILTER (WHERE class = 'communication') AS alone_ns,
        coalesce(sum(total_ns) FILTER (WHERE class <> 'communication'), 0) AS other_ns,
        max(longest_ns) FILTER (WHERE class = 'communication') AS longest_ns
    FROM _judged_kernel
    GROUP BY part_id, gpu_id, part_ns
),

judged AS (
    SELECT
        summed.*,
        summed.other_ns < least.overlapping_share * summed.alone_ns AS is_all
    FROM summed
    CROSS JOIN thresholds AS least
    WHERE summed.alone_ns > least.communication_share * summed.part_ns
)

SELECT
    part_id,
    gpu_id,
    'communication' AS subject,
    total_ns::BIGINT AS total_ns,
    (CASE WHEN NOT is_all THEN alone_ns END)::BIGINT AS saves_ns,
    CASE WHEN is_all THEN 'unknown' ELSE 'at most' END AS bound,
    'likely' AS certainty,
    false AS once,
    'communication' AS claims,
    count::BIGINT AS count,
    alone_ns::BIGINT AS alone_ns,
    is_all,
    longest_ns::BIGINT AS longest_ns,
    count > 1 AND 2 * longest_ns > total_ns AS is_one
FROM judged
ORDER BY part_id ASC, total_ns DESC, subject ASC
