"""Planning a purchase: pools of imagined disks, compared and then planned."""
