-- NVTX ranges that could mark steps or layers: closed, of one thread, and no operators unless `layer` or `block` is in the text.
--
-- Operators are ranges that carry an op_id, or begin `aten::`; those with registered texts are excluded later.
-- Needs  NVTX_EVENTS
-- Columns
--     domain_id   BIGINT   -- Domain, as a number of the process's `nvtx_domain`.
--     text_id     BIGINT   -- Registered text, as a number of `string`.
--     plain_text  VARCHAR  -- Text given with the range, where it is not registered.
SELECT
    thread_id,
    start_ns,
    end_ns,
    domain_id,
    text_id,
    CASE WHEN text_id IS NULL THEN text END AS plain_text
FROM _nvtx_few
WHERE
    is_own
    AND end_ns >= start_ns
    AND (
        text_id IS NOT NULL
        OR (
            NOT starts_with(text, 'aten::')
            AND (NOT contains(text, 'op_id = ') OR text ILIKE '%layer%' OR text ILIKE '%block%')
        )
    )
