"""The Compare page: kept runs held against each other, or against what was predicted."""
