"""Faults, and their injection into a build that is held at a step."""

from __future__ import annotations

from enum import StrEnum

from raidwright.lab.disks.server import Fault

from .bench import Bench
from .steps import WAITED_FOR, Step, go_on, release
from .window import Window

_PROGRAMS = "--cgroup /system.slice/raidwright-helper.service 'wipefs|sfdisk|mdadm|udevadm|systemd-run'"


class Strike(StrEnum):
    """Kind of fault."""

    HELPER = "helper killed"
    WINDOW = "window killed"
    PROGRAM = "program killed"  # the one that the helper waits for
    BUS = "bus gone"
    GONE = "disk gone"
    ERRORS = "disk erroring"
    POWER = "power cut"


WITHOUT_PROGRAM = (Step.SAVE, Step.DONE)


def strike(bench: Bench, step: Step, kind: Strike, window: Window, victim: int) -> None:
    """Inject the fault and let the build go on as far as it can; ``victim`` is the number of the faulty disk."""
    victim = WAITED_FOR.get(step, victim)
    match kind:
        case Strike.HELPER:
            bench.run("systemctl kill --signal=KILL --kill-who=main raidwright-helper", check=step is not Step.DONE)
            go_on(bench, step)
            bench.until(f"! pgrep {_PROGRAMS} >/dev/null")
        case Strike.WINDOW:
            window.kill()
            go_on(bench, step)
        case Strike.PROGRAM:
            bench.run(f"pkill -KILL {_PROGRAMS}")
            go_on(bench, step)
        case Strike.BUS:
            bench.run("systemctl kill --signal=KILL dbus.service")
            go_on(bench, step)
            bench.until("busctl --quiet status && systemctl restart polkit udisks2")
            bench.until("! systemctl status raidwright-helper | grep -q 'Active: deactivating'")  # else nobody answers
        case Strike.GONE:
            bench.fault(victim, Fault.ERRORS)
            bench.pull(victim)
            release(bench)
        case Strike.ERRORS:
            bench.fault(victim, Fault.ERRORS)
            release(bench)
        case Strike.POWER:
            bench.cut_power()
