-- The first name that the export has of each thread.
SELECT
    thread_id,
    arg_min(name, row_id) AS name
FROM thread
GROUP BY thread_id
