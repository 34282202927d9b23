		ret = system("echo `umount /dev/md* 2>&1` > /dev/null");
        ret = system("echo `mdadm -S /dev/md* 2>&1` > /dev/null");
        ret = system("echo `mdadm --zero-superblock /dev/nvme0n1 /dev/nvme1n1 2>&1` > /dev/null");
		ret = system("echo `yes | mdadm /dev/md0 -C -v -l0 -n2 /dev/nvme0n1 /dev/nvme1n1 2>&1` > /dev/null");
 		printf("RAID0 have been created successfully\n");
