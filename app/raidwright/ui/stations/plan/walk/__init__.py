"""The walk: a newcomer's few questions, one a page, which end in the cockpit with a plan."""
