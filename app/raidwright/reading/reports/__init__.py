"""Reports on md arrays, from pasted text to one plan: lines, parts, table rows, the array, the plan."""
