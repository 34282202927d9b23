"""Exports held to their own tools: ansible-lint over every playbook, and ansible twice over a practice machine."""
