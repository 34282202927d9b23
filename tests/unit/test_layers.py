"""Devices on an array: as lines, why they keep it running, and which of them is mounted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.protocol.facts import ArrayFacts
from raidwright.core.system.layers import Layer, LayerKind, layer_of_line
from raidwright.machine.values import Array
from raidwright.text.array.layers import can_mount, idle_volumes, kept_running_words, mount_words

_LV = Layer("vg1-lv1", LayerKind.LVM, "ext4")
_POOL = Layer("vg1-pool", LayerKind.LVM, "", is_below=True)
_MOUNTED = Layer("vg1-lv1", LayerKind.LVM, "ext4", mounted_at="/srv/two words")
_CLEAR = Layer("clear", LayerKind.CRYPT, "xfs")


def _array(*layers: Layer) -> Array:
    facts = ArrayFacts(array_state="clean", layers=tuple(one.line() for one in layers))
    return Array("0a:0b", "qnap", "raid1", "/dev/md127", 10**9, 0, True, 0, facts=facts)


@given(
    st.builds(
        Layer,
        st.from_regex(r"[A-Za-z0-9+_.-]{1,20}", fullmatch=True),
        st.sampled_from(LayerKind),
        st.sampled_from(["", "ext4", "LVM2_member"]),
        st.just(value=False),
        st.booleans(),
        st.from_regex(r"(/[a-z ]{1,9}){0,3}", fullmatch=True),
    )
)
def test_a_layer_goes_through_its_line(layer: Layer) -> None:
    assert layer_of_line(layer.line()) == layer


@pytest.mark.parametrize(
    ("layers", "told"),
    [
        ((), ""),
        ((_LV, _POOL), ""),
        ((_MOUNTED,), "vg1-lv1 on it is mounted at /srv/two words. Unmount that first."),
        ((_POOL, Layer("vg1-swap", LayerKind.LVM, "swap", is_swap=True)), "vg1-swap on it is swap space"),
        ((_CLEAR,), "sudo cryptsetup close clear"),
        ((Layer("bcache0", LayerKind.OTHER),), "It carries bcache0. Stop that first."),
    ],
)
def test_what_is_in_use_keeps_it_running_by_its_name(layers: tuple[Layer, ...], told: str) -> None:
    assert told in kept_running_words(_array(*layers))
    assert bool(told) == bool(kept_running_words(_array(*layers)))


def test_the_one_file_system_is_mounted() -> None:
    assert can_mount(_array(_LV, _POOL), "LVM2_member")
    assert mount_words(_array(_LV, _POOL), "/srv/q", "LVM2_member") == "vg1-lv1 on it is mounted at /srv/q."
    assert idle_volumes(_array(_LV, _CLEAR)) == ("vg1-lv1",)
    assert not can_mount(_array(_LV, Layer("vg1-b", LayerKind.LVM, "xfs")), "LVM2_member")
    assert can_mount(_array(), "ext4")
    assert not can_mount(_array(), "crypto_LUKS")
    assert "unlock it first" in mount_words(_array(), "/srv/q", "crypto_LUKS")
    assert "isn't mounted" in mount_words(_array(), "/srv/q", "")
