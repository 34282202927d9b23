"""Judgement of an array that exists, by topic: each finding of its assessment belongs to exactly one topic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from .findings.finding import Finding, Severity, Stake


class Topic(StrEnum):
    """The topics, in the order in which they are shown."""

    LAYOUT = "layout"
    SAFETY = "safety"
    DISKS = "disks"
    RETRIES = "retries"
    ALIGNMENT = "alignment"
    CHECKS = "checks"
    POWER_CUT = "power-cut"
    SPEED = "speed"
    TOLD = "told"


_CODES: Mapping[Topic, tuple[str, ...]] = {
    Topic.SAFETY: (
        *("no-redundancy", "single-parity", "wide-parity", "degraded-start", "members-share-disk", "same-batch"),
        *("shared-link", "usb", "assume-clean", "one-efi-partition"),
    ),
    Topic.DISKS: (
        *("disk-failing", "disk-unreliable", "prefail-now", "prefail-once", "disk-temperature", "usage-low"),
        *("bad-sectors", "unread-errors", "worn-out", "old-disk", "hot-disk"),
    ),
    Topic.RETRIES: ("no-erc",),
    Topic.ALIGNMENT: ("sector-mix", "physical-sector-mix", "data-offset-overlap"),
    Topic.POWER_CUT: ("no-bitmap", "write-hole", "journal-metadata", "journal-array", "one-journal"),
    Topic.SPEED: ("slow-member", "narrow-link", "wide-stripe", "stripe-cache", "bitmap-cost", "smr", "rotation-mix",
                  "rpm-mix", "parity-disk"),
    Topic.LAYOUT: ("chunk-odd", "chunk-small", "chunk-large", "odd-count", "unequal-sizes", "boot-metadata",
                   "old-metadata", "final", "no-slack", "linear-kernels", "least-kernel", "one-member", "whole-disk",
                   "homehost", "write-mostly-unused", "write-mostly-all", "failfast-unused", "failfast"),
}  # fmt: skip
_TOPICS = {code: topic for topic, codes in _CODES.items() for code in codes}
_OF_STAKES = {Stake.DATA: Topic.SAFETY, Stake.ACCESS: Topic.SAFETY, Stake.SPEED: Topic.SPEED}


def topic_of(finding: Finding) -> Topic:
    """Return the topic of ``finding``; of a new kind by what is at stake."""
    return _TOPICS.get(finding.code) or _OF_STAKES.get(finding.at_stake, Topic.LAYOUT)


def by_topic(findings: Iterable[Finding]) -> Mapping[Topic, tuple[Finding, ...]]:
    """Return the findings of each topic, gravest first."""
    found: dict[Topic, list[Finding]] = {topic: [] for topic in Topic}
    for one in findings:
        found[topic_of(one)].append(one)
    return {topic: tuple(sorted(ones, key=lambda one: one.weight)) for topic, ones in found.items()}


def gravest(findings: Iterable[Finding]) -> Severity | None:
    """Return the gravest severity; None without findings."""
    order = list(Severity)
    return min((one.severity for one in findings), key=order.index, default=None)
