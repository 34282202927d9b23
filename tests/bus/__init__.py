"""Tests against a private dbus-daemon, with fakes of the services on it that record what they are asked."""
