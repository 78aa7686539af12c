-- Samples of `python_sample` with the line of the program that they are counted at.
--
-- The innermost frame whose file is neither Python's own nor an installed package's, else the innermost.
-- Needs  NVTX_EVENTS
-- Columns
--     python_frame: file
--     line      BIGINT   -- Line.
--     function  VARCHAR  -- Function.
SELECT
    row_id,
    arg_min(file, (is_library, depth)) AS file,
    arg_min(line, (is_library, depth)) AS line,
    arg_min(function, (is_library, depth)) AS function
FROM python_frame
GROUP BY row_id
