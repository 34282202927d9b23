"""What a prompt says of many things."""

from __future__ import annotations

from raidwright_helper.verbs.arguments import listed


def test_a_prompt_looks_up_only_what_it_names() -> None:
    """Each look reads all that udev knows: of a plan of 400 members it kept everybody waiting for a minute."""
    looked_up: list[str] = []

    def words(item: str) -> str:
        looked_up.append(item)
        return f"disk {item}"

    said = listed([str(number) for number in range(400)], words)
    assert said.startswith("disk 0, disk 1, ")
    assert said.endswith(f" and {400 - len(looked_up)} more")
    assert len(looked_up) < 40
