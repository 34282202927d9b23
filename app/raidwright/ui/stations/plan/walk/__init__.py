"""The walk: a new user's few questions, one per page, which lead to a plan in the cockpit."""
