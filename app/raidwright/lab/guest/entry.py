"""``__main__.py`` of the lab's code in the guest: ``python3 /usr/lib/raidwright-lab agent|disks …``."""

import sys

if sys.argv[1] == "agent":
    from raidwright.lab.guest.agent import run

    run()
else:
    from raidwright.lab.guest.disks import main

    main(sys.argv[2:])
