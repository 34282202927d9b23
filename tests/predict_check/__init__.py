"""``make predict-check``: arrays of practice disks, predicted from their disks alone, against fio on the real md."""
