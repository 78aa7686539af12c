-- Parts in which memory is allocated or freed again and again, for the rule allocation-per-step.
--
-- In steps in at least three gaps, elsewhere in ten, none with half of that idle time; outside of steps a kernel must run
-- at least ten times, too, or the allocations are start-up.
-- Needs  _idle_gap
-- Engine  table
-- Columns
--     usual: part_id
WITH named AS (
    SELECT
        part_id,
        sum(count) AS count
    FROM part_kernel
    GROUP BY part_id, name
),

most AS (
    SELECT
        part_id,
        max(count) AS count
    FROM named
    GROUP BY part_id
)

SELECT claim.part_id
FROM _part_claim AS claim
INNER JOIN part ON claim.part_id = part.part_id
LEFT JOIN most ON claim.part_id = most.part_id
WHERE
    claim.code = 'allocation-per-step'
    AND 2 * claim.longest_ns < claim.idle_ns
    AND CASE
        WHEN part.kind = 'series' THEN claim.gap_count >= RECURRING_COUNT
        ELSE claim.gap_count >= ALLOCATION_COUNT AND most.count >= ALLOCATION_COUNT
    END
