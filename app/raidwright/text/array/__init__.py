"""Arrays in words: state, members, what comes next, changes and rescue."""
