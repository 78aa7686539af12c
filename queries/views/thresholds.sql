-- Thresholds of the rules of findings, in one row.
--
-- A rule in a pack joins this view; in nsysql's own SQL its columns are constants in capitals. A finding is worth a
-- line from 1 % of its part; most shares are larger because the advice costs work. Numbers of repetitions are the
-- smallest at which a pattern is no coincidence.
-- Columns
--     short_gap_ns              BIGINT  -- Shorter gaps come from launching, longer ones from other work of the host; eager launches of frameworks take 5 to 100 us.
--     steps_share               DOUBLE  -- Least share of a series' steps with an idle cause: then it recurs.
--     recurring_count           BIGINT  -- Least gaps of a cause that recurs in fewer steps, such as every tenth, or at three checkpoints; least repetitions of other patterns in steps.
--     recurring_longest_share   DOUBLE  -- Largest share of such a cause in one gap: with more it is a single event.
--     working_share             DOUBLE  -- Least share of the time that the GPU works: with less, what is compiled outside of steps is start-up.
--     rare_ratio                DOUBLE  -- Idle time of a step over the median step's, above which it is rare: gaps of one kind vary less.
--     rare_share                DOUBLE  -- Least share of the part in gaps that do not recur.
--     place_share               DOUBLE  -- Least share of the host's idle time in a place that is named.
--     paced_count               BIGINT  -- Least waits, in a part without steps, for one other thread that sets the pace.
--     paced_wait_ns             BIGINT  -- Least mean of these waits: shorter ones are handshakes between threads.
--     sync_count                BIGINT  -- Least blocking calls, or host functions, of a part without steps: fewer are no habit.
--     sync_each_share           DOUBLE  -- Blocking calls per launch, from which nearly each launch is followed by one.
--     value_bytes               BIGINT  -- Largest copy that is a value (a loss, a flag), not data.
--     value_share               DOUBLE  -- Share of blocking calls that wait for such a copy, above which the calls are for values.
--     allocation_count          BIGINT  -- Least gaps with allocation outside of steps.
--     launch_gap_count          BIGINT  -- Least short gaps, or calls, of a part without steps that launching limits.
--     launch_share              DOUBLE  -- Least share of the part in short gaps while the host launches: less is ordinary latency.
--     launch_gap_ratio          DOUBLE  -- Least median gap over median kernel: shorter gaps are the latency between queued kernels.
--     graph_launches            BIGINT  -- Least launches of a step (and half of those between two synchronizations) that a graph replaces by one.
--     graph_saving              DOUBLE  -- Share of the launch-bound time that a graph saves; the rest is its own launch.
--     graph_traced_share        DOUBLE  -- Least share of the part in CUDA graphs traced as a whole.
--     graph_gap_ns              BIGINT  -- Mean gap inside a CUDA graph from which unrecorded nodes fill it: from node to node it takes 1 to 3 us.
--     slow_step_ratio           DOUBLE  -- Duration of a slow step over the median, at least.
--     slow_step_count           BIGINT  -- Least slow steps: a single one can be the first or last of the loop.
--     slow_steps_share          DOUBLE  -- Least share of the part that slow steps take beyond the median.
--     trend_steps               BIGINT  -- Steps from which a trend differs from noise.
--     trend_correlation         DOUBLE  -- Least correlation of number and duration of steps with a trend.
--     trend_ratio               DOUBLE  -- Least ratio between the medians of the first and last third of the steps.
--     skew_count                BIGINT  -- Least launches of a kernel in one shape.
--     skew_share                DOUBLE  -- Least share of its time beyond median times launches: few launches have it.
--     clock_kernels             BIGINT  -- Least kernels that slow down alike: a single one can have more work.
--     clock_ratio               DOUBLE  -- Least factor by which they slow down; boost clocks vary less.
--     tiny_kernel_ns            BIGINT  -- Mean duration below which a kernel is mostly its launch, whatever its grid.
--     kernel_floor_ns           BIGINT  -- No kernel takes less.
--     covering_ratio            DOUBLE  -- Mean duration of launches with enough blocks over that of the others: with less, more blocks do not help.
--     wave_kernel_ns            BIGINT  -- Mean duration from which the last wave of blocks matters.
--     last_wave_share           DOUBLE  -- Largest share of a full wave's blocks in the last wave.
--     most_waves                DOUBLE  -- Waves above which the last one is too small a part.
--     low_occupancy             DOUBLE  -- Theoretical occupancy below which too few warps hide latency.
--     occupancy_share           DOUBLE  -- Least share of the part for such a kernel.
--     warp_threads              BIGINT  -- Threads of a warp, on every CUDA GPU.
--     matrix_share              DOUBLE  -- Least share of the busy time in float32 matrix products.
--     sm_warps                  BIGINT  -- Warps that an SM's four schedulers need at least: a launch with fewer waits for latency, not for its units.
--     fp64_ratio                DOUBLE  -- Double over single precision peak, below which FP64 units are few: data center GPUs have 0.5.
--     elementwise_share         DOUBLE  -- Least share of the busy time in elementwise kernels.
--     elementwise_count         BIGINT  -- Least elementwise kernels.
--     fused_kernels             BIGINT  -- Most elementwise kernels that one kernel replaces.
--     layout_share              DOUBLE  -- Least share of the busy time in layout conversions.
--     attention_share           DOUBLE  -- Least share of the busy time in softmax and masks between matrix products.
--     memset_share              DOUBLE  -- Least share of the busy time in memsets.
--     communication_share       DOUBLE  -- Least share of the part in communication that nothing overlaps.
--     overlapping_share         DOUBLE  -- Least time of other kernels over that of such communication: with less, nothing can overlap it.
--     group_share               DOUBLE  -- Least ratio of two GPUs' communication kernels if they wait for each other: the middle of a pipeline has twice those of its ends.
--     largest_share             DOUBLE  -- Least share of the part in which the largest kernel runs alone: less is not worth profiling with Nsight Compute.
--     small_copy_bytes          BIGINT  -- Smaller copies are mostly latency (10 us at 12 GB/s are 120 kB).
--     small_copy_count          BIGINT  -- Small copies of a part, above which they are many; in steps three a step are, too.
--     small_copy_ns             BIGINT  -- Mean duration below which copies are mostly latency.
--     stream_count              BIGINT  -- Least small kernels outside of the main stream, and least changes of stream; in steps one a step.
--     alone_share               DOUBLE  -- Least share of their time in which kernels of several streams run alone: the next can begin in the tail of one.
--     turn_share                DOUBLE  -- Least share of a GPU in the time in which exactly one GPU of a process computes: with less it only helps out.
--     turn_count                BIGINT  -- Least changes of the GPU that computes, in steps one a step: fewer are phases of the program.
--     turn_overlap              DOUBLE  -- Largest share of the time in which several GPUs of a process would compute by chance.
--     uneven_share              DOUBLE  -- Least share of its part in which the busiest GPU computes, so that others wait for it.
--     uneven_ratio              DOUBLE  -- Least ratio of its time to the mean of the GPUs; of equal work on eight GPUs one can take 1.12 times as long.
--     copy_overhead_ns          BIGINT  -- Cost of a copy besides its bytes.
--     round_trip_share          DOUBLE  -- Least copies per step in each direction.
--     round_trip_alike          DOUBLE  -- Largest difference between copies up and down, as a share of the larger number.
--     same_copy_share           DOUBLE  -- Least share of the steps with a copy of the same size.
--     one_way_count             BIGINT  -- Least copies in each direction, and changes of direction: input at the beginning and results at the end cannot overlap.
--     one_way_share             DOUBLE  -- Least share of the part in copies of one direction while no kernel runs.
--     link_bytes_per_s          DOUBLE  -- Rate of a pinned copy if the GPU is not known: PCIe 3.0 with 16 lanes.
--     profiler_share            DOUBLE  -- Least share of the part in idle time that the profiler causes.
--     queued_share              DOUBLE  -- Least share of the part in which queued work waits for no recorded reason.
--     api_share                 DOUBLE  -- Least share of the part that the launching thread spends in CUDA calls that do not wait.
--     cpu_share                 DOUBLE  -- Least share of the time of the program's CPUs in threads; of these, in its own.
--     startup_share             DOUBLE  -- Least share of the window in idle time of one-time work.
--     after_share               DOUBLE  -- Least share of the window after the last GPU work, or in copies of start-up.
SELECT
    200000::BIGINT AS short_gap_ns,
    0.5::DOUBLE AS steps_share,
    3::BIGINT AS recurring_count,
    0.5::DOUBLE AS recurring_longest_share,
    0.15::DOUBLE AS working_share,
    10::DOUBLE AS rare_ratio,
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
    5::BIGINT AS graph_launches,
    0.9::DOUBLE AS graph_saving,
    0.1::DOUBLE AS graph_traced_share,
    20000::BIGINT AS graph_gap_ns,
    1.5::DOUBLE AS slow_step_ratio,
    3::BIGINT AS slow_step_count,
    0.05::DOUBLE AS slow_steps_share,
    12::BIGINT AS trend_steps,
    0.5::DOUBLE AS trend_correlation,
    1.25::DOUBLE AS trend_ratio,
    20::BIGINT AS skew_count,
    0.5::DOUBLE AS skew_share,
    2::BIGINT AS clock_kernels,
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
    4::BIGINT AS sm_warps,
    0.1::DOUBLE AS fp64_ratio,
    0.05::DOUBLE AS elementwise_share,
    10::BIGINT AS elementwise_count,
    8::BIGINT AS fused_kernels,
    0.05::DOUBLE AS layout_share,
    0.02::DOUBLE AS attention_share,
    0.1::DOUBLE AS memset_share,
    0.01::DOUBLE AS communication_share,
    0.1::DOUBLE AS overlapping_share,
    0.4::DOUBLE AS group_share,
    0.1::DOUBLE AS largest_share,
    65536::BIGINT AS small_copy_bytes,
    100::BIGINT AS small_copy_count,
    10000::BIGINT AS small_copy_ns,
    20::BIGINT AS stream_count,
    0.99::DOUBLE AS alone_share,
    0.1::DOUBLE AS turn_share,
    10::BIGINT AS turn_count,
    0.2::DOUBLE AS turn_overlap,
    0.7::DOUBLE AS uneven_share,
    1.15::DOUBLE AS uneven_ratio,
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
