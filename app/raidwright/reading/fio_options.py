"""fio's options: names, aliases, defaults and effects, for imports, predictions and jobs of one's own.

Source: ``fio --cmdhelp=all`` of fio 3.33, with the options of its engines, and of fio 2 that job files still have;
fio(1) for the effects. ``tests/unit/test_fio_options.py`` holds the table against fio's own words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Effect(StrEnum):
    """Effect of an option of a job that hasn't its default value."""

    ASKED = "asked"  # what is asked of the disks: direction, sizes, queue depth, flushes
    PLACE = "place"  # where: the device or file, and the part of it
    RUN = "run"  # when, how long, by which processors and buffers
    PRINTED = "printed"  # what fio prints and logs
    CONTENT = "content"  # what the buffers and the page cache hold, which devices that compress notice
    VERIFYING = "verifying"  # how data are verified, if they are
    OTHER = "other"  # anything else, so that it is another test


@dataclass(frozen=True, slots=True)
class FioOption:
    """One option; ``default`` is fio's, "" if there is none."""

    name: str
    effect: Effect
    default: str = ""


# name/alias=default; fio's own aliases alone.
_TABLE = {
    Effect.ASKED: """
        rw/readwrite=read bs/blocksize=4096 bsrange/blocksize_range bssplit ioengine=psync iodepth=1 numjobs=1 direct=0
        buffered=1 fsync=0 fdatasync=0 sync=none rwmixread=50 rwmixwrite=50 end_fsync=0 kb_base=1024 unit_base
        stonewall/wait_for_previous
    """,
    Effect.PLACE: """
        filename directory filename_format=$jobname.$jobnum.$filenum unique_filename=1 lockfile=none size
        io_size/io_limit filesize offset/fileoffset=0 number_ios=0 file_append=0 openfiles
        allow_file_create=1 allow_mounted_write=0 overwrite=0 unlink=0 unlink_each_loop=0 fallocate=native
        create_serialize=1 create_fsync=1 create_on_open=0 fadvise_hint=1 readonly client server hostname port
    """,
    Effect.RUN: """
        description name wait_for runtime/timeout=0 time_based ramp_time=0 startdelay=0 loops=1 thread group_reporting
        exitall exit_what=group exitall_on_error new_group continue_on_error=none randrepeat=1 allrandrepeat=0
        randseed=0x89 norandommap softrandommap random_generator=tausworthe clocksource gtod_cpu cpumask cpus_allowed
        cpus_allowed_policy numa_cpu_nodes numa_mem_policy mem/iomem=malloc hugepage-size=2097152 lockmem=0
        scramble_buffers=1 refill_buffers exec_prerun exec_postrun ioscheduler
        serialize_overlap=0 registerfiles fixedbufs hipri hipri_percentage=100 sqthread_poll sqthread_poll_cpu
        force_async userspace_reap nonvectored idle_prof latency_run=0 error_dump=0 uid gid cgroup cgroup_nodelete=0
        steadystate/ss=iops_slope:0.01% steadystate_duration/ss_dur=0 steadystate_ramp_time/ss_ramp=0
    """,
    Effect.PRINTED: """
        stats=1 per_job_logs=1 write_bw_log write_lat_log write_iops_log write_hist_log bwavgtime=500 iopsavgtime=500
        log_entries=1024 log_avg_msec=0 log_hist_msec=0 log_hist_coarseness=0 log_max_value=0 log_offset=0 log_prio=0
        log_compression log_compression_cpus log_store_compressed log_unix_epoch log_alternate_epoch
        log_alternate_epoch_clock_id block_error_percentiles=0 clat_percentiles=1 lat_percentiles=0 slat_percentiles=0
        percentile_list significant_figures=4 disk_util=1 gtod_reduce=0 disable_lat=0 disable_clat=0 disable_slat=0
        disable_bw_measurement/disable_bw=0 unified_rw_reporting=none eta status_interval output output-format minimal
        terse_version reduce_bw_lat write_iolog
    """,
    Effect.CONTENT: """
        buffer_pattern zero_buffers buffer_compress_percentage=0 buffer_compress_chunk=512 dedupe_percentage=0
        dedupe_mode=repeat dedupe_working_set_percentage=5 dedupe_global=0 invalidate=1 pre_read=0 fsync_on_close=0
    """,
    Effect.VERIFYING: """
        do_verify=1 verify_interval verify_offset verify_pattern verify_fatal=0 verify_dump=0 verify_async=0
        verify_backlog verify_backlog_batch verify_async_cpus verify_state_load verify_state_save=1 verifysort=1
        verifysort_nr experimental_verify
    """,
    Effect.OTHER: """
        opendir profile create_only=0 bs_unaligned/blocksize_unaligned=0 bs_is_seq_rand=0 atomic=0 ba/blockalign
        ignore_error rw_sequencer=sequential iodepth_batch/iodepth_batch_submit=1
        iodepth_batch_complete_min/iodepth_batch_complete=1 iodepth_batch_complete_max iodepth_low io_submit_mode=inline
        fill_device/fill_fs=0 offset_increment=0 offset_align=0 random_distribution=random percentage_random=100
        nrfiles/nr_files=1 file_service_type=roundrobin write_barrier=0 sync_file_range verify=0 verify_only
        trim_percentage=0 trim_verify_zero=1 trim_backlog trim_backlog_batch read_iolog read_iolog_chunked=0
        replay_no_stall=0 replay_redirect replay_scale=1 replay_align replay_time_scale=100 replay_skip
        merge_blktrace_file merge_blktrace_scalars merge_blktrace_iters zonemode=none zonesize=0 zonecapacity=0
        zonerange=0 zoneskip=0 read_beyond_wp=0 max_open_zones=0 job_max_open_zones=0 ignore_zone_limits=0
        zone_reset_threshold zone_reset_frequency nice=0 prio prioclass thinktime=0 thinktime_spin=0 thinktime_blocks=1
        thinktime_blocks_type=complete thinktime_iotime=0 rate=0 rate_min/ratemin=0 rate_process=linear
        rate_cycle/ratecycle=1000 rate_ignore_thinktime rate_iops=0 rate_iops_min=0 max_latency latency_target
        latency_window latency_percentile=100 write_hint cgroup_weight flow_id=0 flow=0 flow_sleep=0
        cmdprio_percentage=0 cmdprio_class cmdprio cmdprio_bssplit uncached=0 nowait=0 cmd_type
    """,
}


def _options() -> tuple[dict[str, FioOption], dict[str, str]]:
    options, aliases = dict[str, FioOption](), dict[str, str]()
    for effect, text in _TABLE.items():
        for word in text.split():
            names, _, default = word.partition("=")
            name, *others = names.split("/")
            options[name] = FioOption(name, effect, default)
            aliases |= dict.fromkeys(others, name)
    return options, aliases


OPTIONS, ALIASES = _options()
_OLD_NAMES = {"new_reporting_group": "new_group"}
_SAME_VALUES = {"4k": "4096", "native": "native", "true": "1", "false": "0"}
_BEGINNINGS = {"log_": Effect.PRINTED, "exec_": Effect.RUN, "ss_": Effect.RUN}


def primary_name(name: str) -> str:
    """Return fio's own name of the option ``name``."""
    return ALIASES.get(name, _OLD_NAMES.get(name, name))


def set_option(section: dict[str, str], name: str, value: str) -> None:
    """Set an option under its primary name, a flag to 1; of one given several times the last counts, as in fio."""
    key = primary_name(name)
    section.pop(key, None)  # direct and buffered are one, so their order counts
    section[key] = value or "1"


def effect_of(name: str) -> Effect:
    """Return the effect of the option with this primary name; OTHER for one that isn't known."""
    if name in OPTIONS:
        return OPTIONS[name].effect
    return next((effect for start, effect in _BEGINNINGS.items() if name.startswith(start)), Effect.OTHER)


def is_default(name: str, value: str) -> bool:
    """True if ``value`` is fio's default for the option; where fio has none, a flag that is off."""
    default = OPTIONS[name].default if name in OPTIONS else ""
    said = {_SAME_VALUES.get(part.strip(), part.strip()) for part in value.lower().split(",")}
    return said == {(default or "0").lower()} or (not default and said <= {"0", "none"})


def changes_result(name: str, value: str, others: Mapping[str, str]) -> bool:
    """True if an option makes a job another test than the same job without it; ``others`` are all its options.

    Of those that are asked, and that say where, the workload's name or the run's place has the value.
    """
    effect = effect_of(name)
    if effect is Effect.VERIFYING and is_default("verify", others.get("verify", "0")):
        return False
    if name == "offset_increment" and others.get("numjobs", "1") == "1":
        return False
    return effect in (Effect.CONTENT, Effect.VERIFYING, Effect.OTHER) and not is_default(name, value)


def changes_prediction(name: str, value: str, others: Mapping[str, str]) -> bool:
    """True if an option, other than those that a prediction takes, asks for something else than it without."""
    if name in ("offset_increment", "end_fsync", "unit_base") or effect_of(name) is Effect.CONTENT:
        return False
    is_asked = name == "offset" or effect_of(name) is Effect.ASKED
    return (is_asked and not is_default(name, value)) or changes_result(name, value, others)
