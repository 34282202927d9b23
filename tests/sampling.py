"""``make test`` takes some of what lasts long in the practice machine, by a seed; ``make test WHOLE=1`` takes all.

Together that lasts more than an hour, and a push may wait for a few minutes of it. The seed is the number of commits: a
state is tested by the same again, the next one by others. What is drawn is a file of ``tests/lab``, a test of one, or a
case of a test; those that aren't named run each time. Likewise a third of the cases with the mark ``drawn``, such as
those of a test that opens each page of the window, and half of Hypothesis' examples. The drawn parts of the long
proofs (the mark ``each_kernel``) go round the practice machine's kernels, another each time that one comes up.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import pytest
from raidwright.lab.image import GENERATION_VARIABLE, Generation, generation_unasked

Case = TypeVar("Case")
OPTION = "--sample"
DRAWN = "drawn"
EACH_KERNEL = "each_kernel"
_TURN_S = 200
_THIRD = 3
SECONDS = {  # each one's own, on two cores that four workers share
    "test_alerts_lab.py": 80,
    "test_alerts_tls.py": 50,
    "test_around_lab.py": 110,
    "test_array_verbs.py": 60,
    "test_arrays_here_sample.py": 110,
    "test_arrays_in_use.py": 70,
    "test_attack_sample.py": 200,
    "test_attacks_again.py::test_whoever_may_look_keeps_nobody_from_an_array": 50,
    "test_attacks_again.py::test_long_messages_of_the_wrong_types_cost_nobody_anything": 50,
    "test_attacks_again.py::test_nothing_that_a_caller_says_of_a_disk_is_shown_or_kept": 30,
    "test_attacks_again.py::test_a_disk_that_stands_in_fstab_is_refused_in_every_form": 60,
    "test_attacks_again.py::test_its_own_lines_go_with_an_array_if_that_was_confirmed": 50,
    "test_attacks_again.py::test_a_superblocks_name_gets_into_no_file": 30,
    "test_attacks_again.py::test_in_the_helpers_view_nothing_of_etc_can_be_written": 30,
    "test_attacks_again.py::test_what_was_saved_goes_when_it_is_not_needed_or_wanted": 60,
    "test_attacks_again.py::test_bytes_that_nothing_recognises_are_overwritten_only_if_that_was_confirmed": 50,
    "test_attacks_again.py::test_what_somebody_puts_on_a_scratch_array_stays_when_its_owner_leaves": 50,
    "test_bad_blocks_growth.py": 90,
    "test_bad_blocks_lab.py": 150,
    "test_baseline_lab.py": 100,
    "test_boot_sample.py": 110,
    "test_cards_lab.py": 110,
    "test_cards_of_more_lab.py": 70,
    "test_change_attacks.py": 180,
    "test_change_cuts.py": 160,
    "test_change_exchange.py": 230,
    "test_change_sample.py::test_a_mirror_becomes_raid5_then_raid6_while_it_is_mounted": 90,
    "test_change_sample.py::test_its_end_leaves_mdadm_conf_right_a_check_and_a_new_card": 80,
    "test_change_sample.py::test_what_keeps_it_consistent_is_switched_while_it_is_mounted": 90,
    "test_change_sample.py::test_a_reshape_is_paused_and_let_go_on": 80,
    "test_change_sample.py::test_what_would_cut_data_off_or_is_not_at_rest_is_refused": 50,
    "test_change_hidden_end.py": 90,
    "test_config_lines_sample.py": 60,
    "test_copy_cut_off.py": 60,
    "test_damaged_records.py": 50,
    "test_disk_kinds.py": 110,
    "test_disks_in_use.py": 80,
    "test_ends_are_seen_whole.py": 60,
    "test_export_lab.py::test_a_script_builds_what_the_helper_builds_and_may_be_run_again": 120,
    "test_export_lab.py::test_a_script_refuses_before_anything_is_written": 90,
    "test_export_lab.py::test_a_file_system_of_an_older_array_is_not_kept": 60,
    "test_export_lab.py::test_a_build_that_fails_leaves_the_disks_without_the_array": 60,
    "test_export_lab.py::test_a_place_that_is_taken_is_told_before_anything_is_written": 50,
    "test_export_lab.py::test_a_script_removes_what_was_let_go_and_nothing_else": 50,
    "test_facts_lab.py::test_what_has_grown_while_it_is_mounted_is_not_cut_off": 150,
    "test_facts_lab.py::test_what_is_used_elsewhere_is_not_misread": 70,
    "test_facts_lab.py::test_what_a_disk_held_that_a_raid0_takes_comes_back": 70,
    "test_failing_lab.py": 90,
    "test_faults_sample.py": 210,
    "test_foreign_make_lab.py": 80,
    "test_former_members.py": 60,
    "test_fuzz_sample.py": 60,
    "test_helper_lab.py::test_a_nested_plan_is_built_from_the_inside": 30,
    "test_helper_lab.py::test_a_disk_in_use_is_refused_though_the_window_would_not_offer_it": 30,
    "test_helper_lab.py::test_another_disk_than_the_confirmed_one_is_refused": 30,
    "test_helper_lab.py::test_a_name_that_is_taken_and_one_not_typed_are_refused": 20,
    "test_helper_lab.py::test_a_build_that_fails_half_way_leaves_nothing": 30,
    "test_helper_lab.py::test_a_workload_tells_meanwhile_and_its_samples_add_up[random_write_4k_q32]": 30,
    "test_helper_lab.py::test_a_workload_tells_meanwhile_and_its_samples_add_up[buffered_read]": 30,
    "test_helper_lab.py::test_a_cancelled_workload_leaves_no_fio": 30,
    "test_helper_lab.py::test_writing_is_for_empty_arrays_alone_and_shuts_others_out": 70,
    "test_helper_lab.py::test_a_scratch_array_goes_when_asked_and_when_its_owner_does": 110,
    "test_joined_build.py::test_it_is_what_the_plan_means_and_undone_to_the_byte": 130,
    "test_joined_build.py::test_it_gets_a_file_system_and_lines_and_isn_t_undone_once_it_holds_something": 140,
    "test_joined_build.py::test_a_killed_build_is_undone_to_the_byte": 130,
    "test_joined_build.py::test_it_is_stopped_and_started_as_one": 150,
    "test_joined_care.py": 110,
    "test_joined_growth.py": 160,
    "test_joined_journey.py": 180,
    "test_joined_lab.py": 120,
    "test_joined_power_cut.py": 310,
    "test_joined_remnants.py": 240,
    "test_joined_replace.py": 110,
    "test_journey.py::test_from_the_disks_to_a_measured_array": 70,
    "test_journey.py::test_eight_clicks_from_the_first_start_to_a_measured_practice_array": 110,
    "test_journey.py::test_an_ordinary_user_is_denied_in_a_sentence": 40,
    "test_journey.py::test_a_disk_shows_in_the_window_while_it_is_there": 40,
    "test_journey.py::test_a_pulled_disk_leaves_the_plan_as_it_is_until_it_is_back": 50,
    "test_lab_disks.py": 90,
    "test_lab_kernels.py": 60,
    "test_lab_life.py": 60,
    "test_lab_machine.py": 70,
    "test_lab_room.py": 40,
    "test_large_registers.py": 40,
    "test_layers_lab.py::test_an_array_with_lvm_is_taken_over_and_its_volume_mounted": 60,
    "test_layers_lab.py::test_an_encrypted_array_is_taken_over_and_unlocked_first": 40,
    "test_layers_lab.py::test_a_member_that_was_failed_and_removed_is_replaced": 50,
    "test_layers_lab.py::test_a_journal_that_died_while_running_is_told": 40,
    "test_layers_lab.py::test_a_check_without_a_member_and_frozen_work_are_told": 40,
    "test_layers_lab.py::test_a_partition_is_replaced_by_a_partition": 60,
    "test_layers_lab.py::test_another_computers_reshape_is_taken_over_and_goes_on": 60,
    "test_layers_lab.py::test_a_growths_dry_run_refuses_what_the_growth_would": 40,
    "test_locate_lab.py": 50,
    "test_lost_disk.py": 70,
    "test_lost_journal.py": 260,
    "test_machine_lab.py": 110,
    "test_moved_array.py": 190,
    "test_newer_debian.py": 70,
    "test_parted_halves.py::test_a_mirrors_half_that_was_written_to_alone_never_comes_back_mixed_in": 80,
    "test_parted_halves.py::test_halves_have_parted_whatever_their_event_counts": 90,
    "test_parted_halves.py::test_a_member_that_only_fell_behind_still_catches_up": 50,
    "test_parted_halves.py::test_a_copy_and_a_disk_that_never_was_in_sync_are_none_of_the_arrays_past": 50,
    "test_pasted_lab.py": 90,
    "test_predict_sample.py": 150,
    "test_prove_sample.py": 110,
    "test_raid10_cut.py::test_it_goes_on_before_anything_reads_it": 80,
    "test_raid10_cut.py::test_another_computers_waits_and_is_not_looked_into": 110,
    "test_raid10_cut.py::test_a_name_without_a_computer_goes_on_only_where_mdadm_conf_has_it": 70,
    "test_rescue_evidence.py::test_a_blank_disk_in_a_dead_ones_place_is_never_called_right": 80,
    "test_rescue_evidence.py::test_a_data_offset_that_nobody_knows_is_found_by_what_begins_there": 80,
    "test_rescue_evidence.py::test_the_order_of_a_raid0_is_told_by_its_file_system": 80,
    "test_rescue_evidence.py::test_two_lost_members_are_found_among_blank_disks": 80,
    "test_rescue_evidence.py::test_what_failed_while_it_is_mounted_is_unmounted_stopped_and_forced": 80,
    "test_rescue_lvm.py": 80,
    "test_rescue_own_devices.py::test_volumes_arrays_and_loops_that_only_sound_like_ours_stay": 90,
    "test_rescue_own_devices.py::test_what_a_killed_helper_left_is_hidden_and_taken_down": 90,
    "test_rescue_own_devices.py::test_another_array_at_the_number_that_was_the_trials_is_found_and_untouched": 90,
    "test_rescue_sample.py": 110,
    "test_reshape_reads.py": 80,
    "test_session_lab.py": 40,
    "test_shootout_sample.py::test_ones_own_job_is_what_decides": 80,
    "test_shootout_sample.py::test_candidates_are_compared_and_nothing_is_left": 130,
    "test_shootout_sample.py::test_streams_of_the_disk_alone_become_its_baseline": 60,
    "test_shootout_sample.py::test_a_helper_that_is_killed_is_said_and_leaves_nothing": 80,
    "test_sleeping_disks.py": 70,
    "test_ssh_lab.py": 50,
    "test_stopped_arrays.py": 160,
    "test_suites_and_sweeps.py": 110,
    "test_tour_lab.py": 70,
    "test_undo_sample.py": 110,
    "test_waiting_arrays.py::test_the_same_request_goes_on_with_a_reshape_that_waits": 90,
    "test_waiting_arrays.py::test_go_on_goes_on": 80,
    "test_waiting_arrays.py::test_without_a_member_it_goes_on_by_name_alone": 80,
    "test_what_is_beside.py": 50,
}


def add_option(parser: pytest.Parser) -> None:
    """Add the option that takes the seed; without it everything is taken."""
    parser.addoption(OPTION, type=int, metavar="SEED", help="take some of what lasts long, not all")


def is_wanted(config: pytest.Config) -> bool:
    """Return True if some is taken, not all."""
    return config.getoption(OPTION) is not None


def is_left_out(path: Path, config: pytest.Config) -> bool:
    """Return True for a file that is long as a whole, and isn't drawn."""
    return path.name in SECONDS and path.name not in _taken(config)


def leave_out(items: list[pytest.Item], config: pytest.Config) -> None:
    """Take the long tests that aren't drawn out of ``items``, and two of three cases that are marked."""
    seed = config.getoption(OPTION)
    if seed is None:
        return
    taken = _taken(config)
    cases = [item for item in items if item.get_closest_marker(DRAWN)]
    out = set(cases) - set(a_third(cases, seed))
    out |= {item for item in items if (name := name_of(item)) in SECONDS and name not in taken}
    config.hook.pytest_deselected(items=list(out))
    items[:] = [item for item in items if item not in out]


def name_of(item: pytest.Item) -> str:
    """Return the name by which a test is drawn, alone or with all its cases, if it isn't with its whole file."""
    case = f"{item.path.name}::{item.name}"
    return case if case in SECONDS else case.partition("[")[0]


def a_third(cases: Sequence[Case], seed: int) -> Sequence[Case]:
    """Return every third of ``cases``; three seeds in a row take all."""
    return cases[seed % _THIRD :: _THIRD]


def said(config: pytest.Config) -> str:
    """Return the long ones that are taken, as a line for the head of the output."""
    seed, taken = config.getoption(OPTION), sorted(_taken(config))
    which = f"{len(taken)} by seed {seed}" if seed is not None else "all"
    files = f"what lasts long: {which} of {len(SECONDS)}, declared {_seconds(taken)} s: {', '.join(taken)}"
    return f"{files}\npractice machines: {generation_unasked()}; of the proofs' drawn parts: {generation(config)}"


def generation(config: pytest.Config) -> Generation:
    """Return the Debian, and so the kernel, of the proofs' drawn parts: the one asked for, else the seed's."""
    seed = config.getoption(OPTION)
    return generation_unasked() if seed is None or os.environ.get(GENERATION_VARIABLE) else drawn_generation(seed)


def drawn_generation(seed: int) -> Generation:
    """Return the Debian of a seed: the next one for the next seed, and for each file when its turn comes again."""
    turn, share = divmod(seed, len(shares()))
    return list(Generation)[(turn + share) % len(Generation)]


def _taken(config: pytest.Config) -> set[str]:
    seed = config.getoption(OPTION)
    return set(SECONDS) if seed is None else set(drawn(seed))


def drawn(seed: int) -> Sequence[str]:
    """Return the names of one of ``shares``; so many seeds in a row take all."""
    parts = shares()
    return parts[seed % len(parts)]


def shares() -> list[list[str]]:
    """Return the names in lists that fit a turn; what lasts longer has one of its own."""
    parts: list[list[str]] = []
    for name in sorted(SECONDS, key=lambda name: (-SECONDS[name], name)):
        part = next((part for part in parts if _seconds(part) + SECONDS[name] <= _TURN_S), None)
        if part is None:
            parts.append(part := [])
        part.append(name)
    return parts


def _seconds(names: Iterable[str]) -> int:
    return sum(map(SECONDS.__getitem__, names))
