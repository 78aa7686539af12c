-- Thresholds of the rules of findings: one row, one column each.
--
-- A rule reads them by joining this view. Over 1 % of its part a finding is worth a line; most shares below are larger
-- because the advice costs work. Numbers of repetitions are the smallest at which a pattern is no coincidence.
-- Engine  table
-- Columns
--     short_gap_ns              BIGINT  -- Shorter gaps come from launching, longer ones from something else the host does; eager launches of frameworks take 5 to 100 us.
--     steps_share               DOUBLE  -- Of the steps of a series in which an idle cause occurs: then every step has it.
--     recurring_count           BIGINT  -- Gaps of a cause that recurs in fewer steps, such as in every tenth, or at three checkpoints.
--     recurring_longest_share   DOUBLE  -- Of such a cause, the most that one gap may have: more, and it is one event.
--     rare_share                DOUBLE  -- Of the part in gaps that do not recur.
--     place_share               DOUBLE  -- Of a host's idle time: a place with less is not named.
--     paced_count               BIGINT  -- Waits that end with the same other thread, from which it sets the pace.
--     paced_wait_ns             BIGINT  -- Their mean: a shorter wait is a handshake between threads, no pace.
--     sync_count                BIGINT  -- Blocking calls of a part; fewer are no habit.
--     sync_each_share           DOUBLE  -- Blocking calls per launch: above, there is one after nearly each.
--     value_bytes               BIGINT  -- Largest copy that is a value (a loss, a flag), not data.
--     value_share               DOUBLE  -- Of the blocking calls that wait for such a copy: above, they are for the value.
--     allocation_count          BIGINT  -- Gaps with allocation.
--     launch_gap_count          BIGINT  -- Short gaps of a launch-bound part.
--     launch_share              DOUBLE  -- Of the part in short gaps while the host launches: less is ordinary latency.
--     launch_gap_ratio          DOUBLE  -- Median gap to median kernel: a smaller gap is the latency between queued kernels.
--     graph_step_count          BIGINT  -- Steps that repeat, below which capturing a CUDA graph does not pay.
--     graph_launches            BIGINT  -- Launches of a step, and twice as many between two synchronizations: a graph replaces them by one.
--     graph_saving              DOUBLE  -- Of the launch-bound time that a graph saves; the rest is its own launch.
--     graph_traced_share        DOUBLE  -- Of the part in CUDA graphs traced as a whole.
--     slow_step_ratio           DOUBLE  -- Of the median step, from which a step is slow.
--     slow_step_count           BIGINT  -- Slow steps; the first or the last alone is a border of the loop.
--     slow_steps_share          DOUBLE  -- Of the part that slow steps take beyond the median.
--     trend_steps               BIGINT  -- Steps from which a trend can be told from noise.
--     trend_correlation         DOUBLE  -- Between number and length of steps, from which they have a trend.
--     trend_ratio               DOUBLE  -- Between the medians of the first and the last third of the steps.
--     skew_count                BIGINT  -- Launches of a kernel in one shape.
--     skew_share                DOUBLE  -- Of its time that exceeds the median times its launches: few launches have it.
--     clock_kernels             BIGINT  -- Kernels that slow down alike: one alone has other work.
--     clock_ratio               DOUBLE  -- By which they slow down; boost clocks vary less.
--     tiny_kernel_ns            BIGINT  -- Mean duration below which a kernel is mostly its launch, whatever its grid is.
--     kernel_floor_ns           BIGINT  -- No kernel takes less, whatever it does.
--     covering_ratio            DOUBLE  -- Mean duration of launches that cover the GPU to that of the others: with less, more blocks do not help.
--     wave_kernel_ns            BIGINT  -- Mean duration from which the last wave of blocks matters.
--     last_wave_share           DOUBLE  -- Of its SMs that the last wave fills at most.
--     most_waves                DOUBLE  -- Waves above which the last one is too small a part.
--     low_occupancy             DOUBLE  -- Theoretical occupancy below which too few warps hide latency.
--     occupancy_share           DOUBLE  -- Of the part that such a kernel has.
--     warp_threads              BIGINT  -- Threads of a warp, of every GPU with CUDA.
--     matrix_share              DOUBLE  -- Of the busy time in float32 matrix products.
--     fp64_ratio                DOUBLE  -- Double to single precision peak, below which it has few units: data center GPUs have 0.5.
--     elementwise_share         DOUBLE  -- Of the busy time in elementwise kernels.
--     elementwise_count         BIGINT  -- Elementwise kernels.
--     fused_kernels             BIGINT  -- Elementwise kernels that one kernel replaces, at most.
--     layout_share              DOUBLE  -- Of the busy time in layout conversions.
--     attention_share           DOUBLE  -- Of the busy time in softmax and masks between matrix products.
--     memset_share              DOUBLE  -- Of the busy time in memsets.
--     communication_share       DOUBLE  -- Of the part in communication that nothing overlaps.
--     largest_share             DOUBLE  -- Of the part that the largest kernel has alone: less is not worth a profile by Nsight Compute.
--     small_copy_bytes          BIGINT  -- Smaller copies take as long as their latency (about 10 us at 12 GB/s is 120 kB).
--     small_copy_count          BIGINT  -- Small copies of a part.
--     small_copy_ns             BIGINT  -- Mean duration of copies that are mostly latency.
--     stream_count              BIGINT  -- Kernels on streams other than the main one, and turns between streams.
--     turn_share                DOUBLE  -- Of the time in which exactly one GPU of a process computes: with less, a GPU only helps out.
--     turn_count                BIGINT  -- Changes of the GPU that computes; fewer are phases of the program.
--     turn_overlap              DOUBLE  -- Of the time in which several GPUs of a process would compute by chance.
--     copy_overhead_ns          BIGINT  -- What a copy costs besides its bytes.
--     round_trip_share          DOUBLE  -- Copies in each direction per step.
--     round_trip_alike          DOUBLE  -- Difference between up and down, of the larger number.
--     same_copy_share           DOUBLE  -- Of the steps in which a copy of the same size occurs.
--     one_way_count             BIGINT  -- Copies in each direction, and changes of it: input at the beginning and results at the end cannot overlap.
--     one_way_share             DOUBLE  -- Of the part that each direction of copies has for itself.
--     link_bytes_per_s          DOUBLE  -- Rate of a pinned copy if the GPU is not known: PCIe 3.0 with 16 lanes.
--     profiler_share            DOUBLE  -- Of the part that is idle for the profiler.
--     queued_share              DOUBLE  -- Of the part in which work is queued without a known reason.
--     api_share                 DOUBLE  -- Of the part that the launching thread is in CUDA calls that do not wait.
--     cpu_share                 DOUBLE  -- Of the time of all its CPUs that the program uses.
--     startup_share             DOUBLE  -- Of the window that is idle for what happens once.
--     after_share               DOUBLE  -- Of the window that passes after the last GPU work.
SELECT
    200000::BIGINT AS short_gap_ns,
    0.5::DOUBLE AS steps_share,
    3::BIGINT AS recurring_count,
    0.34::DOUBLE AS recurring_longest_share,
    0.05::DOUBLE AS rare_share,
    0.2::DOUBLE AS place_share,
    10::BIGINT AS paced_count,
    1000000::BIGINT AS paced_wait_ns,
    10::BIGINT AS sync_count,
    0.8::DOUBLE AS sync_each_share,
    64::BIGINT AS value_bytes,
    0.5::DOUBLE AS value_share,
    10::BIGINT AS allocation_count,
    20::BIGINT AS launch_gap_count,
    0.15::DOUBLE AS launch_share,
    0.3::DOUBLE AS launch_gap_ratio,
    10::BIGINT AS graph_step_count,
    5::BIGINT AS graph_launches,
    0.9::DOUBLE AS graph_saving,
    0.1::DOUBLE AS graph_traced_share,
    1.5::DOUBLE AS slow_step_ratio,
    3::BIGINT AS slow_step_count,
    0.05::DOUBLE AS slow_steps_share,
    12::BIGINT AS trend_steps,
    0.5::DOUBLE AS trend_correlation,
    1.25::DOUBLE AS trend_ratio,
    20::BIGINT AS skew_count,
    0.5::DOUBLE AS skew_share,
    3::BIGINT AS clock_kernels,
    1.1::DOUBLE AS clock_ratio,
    3000::BIGINT AS tiny_kernel_ns,
    1500::BIGINT AS kernel_floor_ns,
    1.25::DOUBLE AS covering_ratio,
    20000::BIGINT AS wave_kernel_ns,
    0.25::DOUBLE AS last_wave_share,
    8::DOUBLE AS most_waves,
    0.25::DOUBLE AS low_occupancy,
    0.05::DOUBLE AS occupancy_share,
    32::BIGINT AS warp_threads,
    0.01::DOUBLE AS matrix_share,
    0.1::DOUBLE AS fp64_ratio,
    0.05::DOUBLE AS elementwise_share,
    10::BIGINT AS elementwise_count,
    8::BIGINT AS fused_kernels,
    0.05::DOUBLE AS layout_share,
    0.02::DOUBLE AS attention_share,
    0.1::DOUBLE AS memset_share,
    0.01::DOUBLE AS communication_share,
    0.1::DOUBLE AS largest_share,
    65536::BIGINT AS small_copy_bytes,
    100::BIGINT AS small_copy_count,
    10000::BIGINT AS small_copy_ns,
    20::BIGINT AS stream_count,
    0.1::DOUBLE AS turn_share,
    10::BIGINT AS turn_count,
    0.2::DOUBLE AS turn_overlap,
    3000::BIGINT AS copy_overhead_ns,
    0.9::DOUBLE AS round_trip_share,
    0.1::DOUBLE AS round_trip_alike,
    0.9::DOUBLE AS same_copy_share,
    3::BIGINT AS one_way_count,
    0.05::DOUBLE AS one_way_share,
    12e9::DOUBLE AS link_bytes_per_s,
    0.05::DOUBLE AS profiler_share,
    0.05::DOUBLE AS queued_share,
    0.9::DOUBLE AS api_share,
    0.9::DOUBLE AS cpu_share,
    0.01::DOUBLE AS startup_share,
    0.1::DOUBLE AS after_share
