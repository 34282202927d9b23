"""``raidwright array``: arrays that exist, one module for each of its larger subcommands."""
