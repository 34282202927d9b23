"""``make studies-check``: published studies repeated on practice disks like theirs, beside their figures."""
