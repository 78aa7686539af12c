-- A CPU sample of a thread in the compiler of PTX: device code was being compiled at run time.
--
-- A sample counts with the compiler anywhere in its call stack: libnvidia-ptxjitcompiler, libnvrtc, libnvJitLink or
-- libnvidia-nvvm.
-- Needs  COMPOSITE_EVENTS, SAMPLING_CALLCHAINS
-- Columns
--     cpu_sample: start_ns, thread_id
SELECT
    sample.start_ns,
    sample.thread_id
FROM cpu_sample AS sample
WHERE
    sample.chain_id IN (
        SELECT frame.id
        FROM raw.SAMPLING_CALLCHAINS AS frame
        INNER JOIN string ON frame.module = string.id
        WHERE regexp_matches(string.text, 'ptxjitcompiler|libnvrtc|libnvJitLink|libnvidia-nvvm')
    )
ORDER BY sample.start_ns ASC, sample.thread_id ASC
