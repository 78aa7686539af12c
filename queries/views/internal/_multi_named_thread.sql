-- A thread that the export gives more than a hundred names.
--
-- Traces have a row for each of them, as NVIDIA's: they ask this view whether that is too much to answer.
-- Needs  ThreadNames
SELECT
    globalTid AS thread_id,
    count(*) AS names
FROM raw.ThreadNames
GROUP BY thread_id
HAVING count(*) > 100
