-- GPUs whose clock differs from the CPU's: their work starts before the call that launched it.
--
-- Work that ends a gap starts soonest after its call. If a twentieth of it starts earlier than its call, the clocks
-- differ by at least that time; fewer are noise. The borders between causes are as far from the truth.
-- Needs  _idle_gap, _api_call_ids
-- Columns
--     usual: gpu_id
--     offset_ns    BIGINT  -- Time before its call that a twentieth of the work starts.
--     doubtful_ns  BIGINT  -- Idle time that can have another cause: of each gap as much.
WITH clock AS (
    SELECT
        gpu_id,
        quantile_disc(launch_ns - end_ns, 0.95) AS offset_ns
    FROM _idle_gap
    WHERE api_name_id IS NOT NULL
    GROUP BY gpu_id
    HAVING offset_ns > 0 AND count_if(launch_ns > end_ns) >= RECURRING_COUNT
)

SELECT
    clock.gpu_id,
    clock.offset_ns,
    sum(least(gap.end_ns - gap.start_ns, clock.offset_ns))::BIGINT AS doubtful_ns
FROM clock
INNER JOIN _idle_gap AS gap ON clock.gpu_id IS NOT DISTINCT FROM gap.gpu_id
GROUP BY clock.gpu_id, clock.offset_ns
