-- Intervals in which a network device had data to send but could not.
--
-- Intervals with more waiting ticks per millisecond than the threshold. A tick is about a nanosecond and differs
-- between kinds of devices: compare values of one device only. Adapters of unknown model are included; `nsys
-- stats` leaves them out.
-- Needs  network_sample
-- Parameters
--     ticks_threshold  BIGINT = 10000   -- Waiting ticks per millisecond above which an interval is shown.
--     as_nsys          BOOLEAN = false  -- Leave out adapters of unknown model.
-- Columns
--     start_ns                     BIGINT   -- [Start (ns)] Start.
--     end_ns                       BIGINT   -- [End (ns)] End.
--     duration_ns                  BIGINT   -- [Duration (ns)] Duration.
--     send_wait_rate_ticks_per_ms  BIGINT   -- [Send wait rate (ticks/ms)] Waiting ticks per millisecond.
--     guid                         VARCHAR  -- [GUID] The device's GUID, in hexadecimal.
--     device_name                  VARCHAR  -- [Device name] Model of the adapter; NULL for a switch.
-- Same as  nsys stats --report network_congestion
SELECT
    start_ns,
    end_ns,
    dur_ns AS duration_ns,
    value AS send_wait_rate_ticks_per_ms,
    printf('%x', guid) AS guid,
    device_name
FROM network_sample
WHERE
    metric = 'IB: Send waits'
    AND value > $ticks_threshold
    AND (device_kind = 'switch' OR device_name IS NOT NULL OR NOT $as_nsys)
ORDER BY
    start_ns ASC,
    device_kind ASC,
    device_id ASC,
    end_ns ASC,
    network_sample.guid ASC,
    value ASC,
    row_id ASC
