-- Calls of NVIDIA's video encoder, video decoder and JPEG decoder, with their names as ids of `string`.
--
-- Needs  NVVIDEO_ENCODER_API or NVVIDEO_DECODER_API or NVVIDEO_JPEG_API
-- Columns
--     engine      VARCHAR  -- Encoder, Decoder or JPEG.
--     row_id      BIGINT   -- Position in the export's table of that engine.
--     os_call: start_ns, end_ns, dur_ns, thread_id, process_id, pid, tid, name_id
WITH call AS (
    -- noqa: disable=LT09
    SELECT 'Encoder' AS engine, * FROM raw.NVVIDEO_ENCODER_API
    UNION ALL BY NAME
    SELECT 'Decoder' AS engine, * FROM raw.NVVIDEO_DECODER_API
    UNION ALL BY NAME
    SELECT 'JPEG' AS engine, * FROM raw.NVVIDEO_JPEG_API
)

SELECT
    engine,
    rowid AS row_id,
    unnest(thread_times(start, "end", globalTid)) AS called,
    nameId AS name_id
FROM call
