"""Costs and limits of the computer around the disks; typical figures where nothing was measured.

Processor costs differ by a factor of two between computers and limit fast flash; if unmeasured, bands there are wide.
"""

from __future__ import annotations

from dataclasses import dataclass

from .bounds import OF_THE_HOST, OF_THE_MEASURED

PAGE_BYTES = 4096  # raid456 works on stripes of one page a member (``raid5.h``, RAID5_STRIPE_SIZE)

# A core issues and completes some 150,000 IOPS to a SCSI or SATA disk, 400,000 to NVMe: as seen with one fio job on
# single disks that are faster than that.
SCSI_REQUEST_S = 6.5e-6
NVME_REQUEST_S = 2.5e-6
# A page of a stripe: 4 KiB copied into the stripe cache (memory at 5 GB/s), the same for parity (xor at 10 GB/s), and a
# bio of its own, made, queued and ended (``raid5.c`` ops_run_io).
COPY_S = PAGE_BYTES / 5e9
_PARITY_S = PAGE_BYTES / 10e9
_BIO_S = 2e-6


@dataclass(frozen=True, slots=True)
class Host:
    """``kernel`` is its version. None means the kernel's default, or no limit.

    ``member_request_s``: md's overhead per member request (a clone, split at chunks). ``stripe_page_s``: one page of
    one stripe in the stripe cache. ``wake_s``: handing over to md's thread and back. ``buffered_read_b_s`` and
    ``buffered_write_b_s``: one process through the page cache. ``read_ceiling_b_s`` and ``write_ceiling_b_s``:
    throughput of all members together. ``jiffy_s``: by CONFIG_HZ (Debian's and Ubuntu's 250).
    """

    kernel: tuple[int, ...] = (6, 12)
    read_ahead_bytes: int | None = None
    stripe_cache_pages: int | None = None
    group_threads: int = 0
    member_request_s: float = 1e-6
    stripe_page_s: float = COPY_S + _PARITY_S + _BIO_S
    wake_s: float = 8e-6
    buffered_read_b_s: float = 3e9
    buffered_write_b_s: float = 2e9
    read_ceiling_b_s: float | None = None
    write_ceiling_b_s: float | None = None
    bitmap_chunk_bytes: int | None = None
    jiffy_s: float = 1 / 250
    measured: bool = False

    @property
    def spread(self) -> float:
        """Uncertainty of its costs (log deviation)."""
        return OF_THE_MEASURED if self.measured else OF_THE_HOST

    @property
    def stripe_threads(self) -> int:
        """Threads that handle stripes: ``group_thread_cnt``, or md's own one."""
        return max(1, self.group_threads)
