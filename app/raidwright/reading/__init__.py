"""Parsers of foreign text: shell commands, mdadm's options, mdadm's reports."""
