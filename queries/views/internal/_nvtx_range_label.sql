-- NVTX ranges by the name under which filters find them.
--
-- The name of a range with a domain is TEXT@DOMAIN, that of one without is its text. A range of a
-- process's first thread filters the whole process, as in nsys; any other range filters its thread.
-- Needs  nvtx_range
-- Columns
--     label           VARCHAR  -- Text, or text@domain.
--     is_main_thread  BOOLEAN  -- Opened by the process's first thread.
SELECT
    text || coalesce('@' || domain, '') AS label,
    row_id,
    start_ns,
    end_ns,
    thread_id,
    process_id,
    pid = tid AS is_main_thread
FROM nvtx_range
