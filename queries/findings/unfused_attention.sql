-- Softmax and masks between two matrix products: attention in separate kernels.
--
-- Each kernel reads and writes the whole score matrix; a fused kernel keeps it on the SM. Over 2 % of the busy time.
-- Needs  _kernel_ids
-- Finding
--     says  {count} softmax and mask kernels between matrix products take {total_ns}.
--     do if is_torch  Use torch.nn.functional.scaled_dot_product_attention, or FlashAttention.
--     do  Use a fused attention: FlashAttention, cuDNN's, or jax.nn.dot_product_attention.
-- Columns
--     count     BIGINT   -- Softmax and mask kernels.
--     is_torch  BOOLEAN  -- A Python program launches PyTorch's kernels.
WITH ordered AS (
    SELECT
        work.part_id,
        work.end_ns - work.start_ns AS dur_ns,
        work.alone_ns,
        known.class,
        last_value(CASE WHEN known.class NOT IN ('softmax', 'elementwise') THEN known.class END IGNORE NULLS) OVER (
            PARTITION BY work.part_id, work.process_id, work.stream_id ORDER BY work.start_ns, work.row_id
            ROWS BETWEEN 8 PRECEDING AND 1 PRECEDING
        ) AS before,
        first_value(CASE WHEN known.class NOT IN ('softmax', 'elementwise') THEN known.class END IGNORE NULLS) OVER (
            PARTITION BY work.part_id, work.process_id, work.stream_id ORDER BY work.start_ns, work.row_id
            ROWS BETWEEN 1 FOLLOWING AND 8 FOLLOWING
        ) AS after
    FROM _part_activity AS work
    LEFT JOIN _kernel_class AS known ON work.detail_id = known.name_id
    WHERE work.kind = 'kernel' AND work.part_id IN (
        SELECT part_id FROM part_kernel
        WHERE class = 'softmax'
    )
)

SELECT
    part.part_id,
    part.gpu_id,
    'attention' AS subject,
    sum(ordered.dur_ns)::BIGINT AS total_ns,
    sum(ordered.alone_ns)::BIGINT AS saves_ns,
    'about' AS bound,
    'likely' AS certainty,
    false AS once,
    'softmax' AS claims,
    count(*) AS count,
    bool_or(torch.part_id IS NOT NULL) AS is_torch
FROM part
INNER JOIN ordered ON part.part_id = ordered.part_id
LEFT JOIN _torch_part AS torch ON part.part_id = torch.part_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND ordered.class = 'softmax' AND ordered.before = 'matrix' AND ordered.after = 'matrix'
GROUP BY part.part_id, part.gpu_id, part.busy_ns
HAVING sum(ordered.dur_ns) > ATTENTION_SHARE * part.busy_ns
ORDER BY part.part_id
