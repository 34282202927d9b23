"""Tests on a private dbus-daemon, with fakes of its services that record their calls."""
