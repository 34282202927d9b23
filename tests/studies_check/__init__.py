"""``make studies-check``: published studies done again on practice disks like theirs, beside what they found."""
