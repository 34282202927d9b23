"""The helper's D-Bus names, and the prefix of its polkit actions."""

from __future__ import annotations

BUS_NAME = "org.raidwright.Helper1"
PATH = "/org/raidwright/Helper1"
JOBS_PATH = f"{PATH}/jobs"
INTERFACE = "org.raidwright.Helper1"
JOB_INTERFACE = f"{INTERFACE}.Job"
INTROSPECTABLE = "org.freedesktop.DBus.Introspectable"
VERSION = "org.raidwright.Version"  # an annotation of the interface
ACTIONS = "org.raidwright.helper1"
