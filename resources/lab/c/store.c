/* Where the bytes lie: for each disk sparse files of a TiB each, since ext4's files end at 16 TiB and disks don't.
 *
 * Zeros that are written to a hole leave it one, and zeros over data make one of it, so that neither a new array's
 * first resync nor wiping a disk takes room. When the file system comes near its end, a write that needs new room is
 * refused with ENOSPC for the caller to try again; reading, and writing over what is there already, go on. */

#define _GNU_SOURCE
#include "disks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const uint64_t SEGMENT_BYTES = 1ull << 40;
static const uint64_t ASK_AGAIN_BYTES = 64 << 20; /* the file system is asked for its room that often */

static const char *folder;
static uint64_t reserve_bytes, limit_bytes;
static uint64_t granted_bytes; /* that may be written before the file system is asked again */

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

void store_begin(const char *where, uint64_t reserve)
{
    folder = where;
    reserve_bytes = reserve;
}

void store_limit(uint64_t bytes)
{
    limit_bytes = bytes;
    granted_bytes = 0;
}

static int open_segment(struct disk *disk, int number, int flags)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%d", folder, disk->serial, number);
    return disk->segments[number] = open(path, O_RDWR | O_CLOEXEC | flags, 0600);
}

void store_add(struct disk *disk)
{
    for (int number = 0; number < MAX_SEGMENTS; number++)
        open_segment(disk, number, 0); /* those that an earlier lab has left, if any */
}

struct store_state store_look(void)
{
    struct store_state state = {0, 0};
    struct statvfs file_system;
    struct stat file;
    for (int target = 0; target < MAX_TARGETS; target++)
        for (int number = 0; targets[target] && number < MAX_SEGMENTS; number++)
            if (targets[target]->segments[number] >= 0 && fstat(targets[target]->segments[number], &file) == 0)
                state.used_bytes += (uint64_t)file.st_blocks * 512;
    if (statvfs(folder, &file_system) == 0) {
        uint64_t free_bytes = (uint64_t)file_system.f_bavail * file_system.f_frsize;
        state.room_bytes = free_bytes > reserve_bytes ? free_bytes - reserve_bytes : 0;
    }
    if (limit_bytes)
        state.room_bytes = least(state.room_bytes, limit_bytes > state.used_bytes ? limit_bytes - state.used_bytes : 0);
    return state;
}

static bool is_room_for(uint64_t bytes)
{
    if (granted_bytes < bytes)
        granted_bytes = least(store_look().room_bytes, ASK_AGAIN_BYTES);
    if (granted_bytes < bytes)
        return false;
    granted_bytes -= bytes;
    return true;
}

static bool is_hole(int fd, uint64_t offset, uint64_t bytes)
{
    off_t data = lseek(fd, offset, SEEK_DATA);
    return data < 0 ? errno == ENXIO : (uint64_t)data >= offset + bytes;
}

static bool has_hole(int fd, uint64_t offset, uint64_t bytes)
{
    off_t hole = lseek(fd, offset, SEEK_HOLE);
    return hole < 0 || (uint64_t)hole < offset + bytes;
}

static bool is_zero(const struct iovec *piece)
{
    const char *bytes = piece->iov_base;
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, piece->iov_len - 1) == 0;
}

/* Cut the first ``bytes`` off the pieces; how many pieces that are, which are then in ``cut``. */
static int cut_off(struct iovec **pieces, int *count, uint64_t bytes, struct iovec *cut)
{
    int taken = 0;
    while (bytes) {
        struct iovec *piece = *pieces;
        cut[taken] = *piece;
        cut[taken].iov_len = least(piece->iov_len, bytes);
        bytes -= cut[taken].iov_len;
        piece->iov_base = (char *)piece->iov_base + cut[taken].iov_len;
        piece->iov_len -= cut[taken++].iov_len;
        if (piece->iov_len == 0)
            ++*pieces, --*count;
    }
    return taken;
}

/* How many bytes from the first piece on lie in one segment and are, if that matters, alike: all zero or none. */
static uint64_t run_bytes(const struct iovec *pieces, int count, uint64_t offset, bool by_zero)
{
    uint64_t bytes = 0, most = SEGMENT_BYTES - offset % SEGMENT_BYTES;
    bool zero = by_zero && is_zero(pieces);
    for (int number = 0; number < count && bytes < most; number++) {
        if (by_zero && number && is_zero(pieces + number) != zero)
            break;
        bytes += pieces[number].iov_len;
    }
    return least(bytes, most);
}

static bool read_run(struct disk *disk, uint64_t offset, struct iovec *run, int count, uint64_t bytes)
{
    int fd = disk->segments[offset / SEGMENT_BYTES];
    offset %= SEGMENT_BYTES;
    ssize_t got = fd < 0 || is_hole(fd, offset, bytes) ? 0 : preadv(fd, run, count, offset);
    if (got < 0)
        return false;
    for (int number = 0; number < count; number++) { /* what lies behind the file's end, or in a hole, is zero */
        size_t read = least(run[number].iov_len, got);
        memset((char *)run[number].iov_base + read, 0, run[number].iov_len - read);
        got -= read;
    }
    return true;
}

static bool write_run(struct disk *disk, uint64_t offset, struct iovec *run, int count, uint64_t bytes)
{
    int number = offset / SEGMENT_BYTES, fd = disk->segments[number];
    offset %= SEGMENT_BYTES;
    if (is_zero(run)) { /* then all of it is */
        if (fd < 0 || is_hole(fd, offset, bytes))
            return true;
        if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, bytes) == 0)
            return true; /* else the file system makes no holes */
    }
    if (!is_room_for(bytes) && (fd < 0 || has_hole(fd, offset, bytes))) {
        errno = ENOSPC;
        return false;
    }
    if (fd < 0 && (fd = open_segment(disk, number, O_CREAT)) < 0)
        return false;
    ssize_t written = pwritev(fd, run, count, offset);
    if (written >= 0 && (uint64_t)written < bytes)
        errno = ENOSPC; /* the only reason for a file to take a part */
    return (uint64_t)written == bytes && written >= 0;
}

static bool in_runs(struct disk *disk, uint64_t offset, struct iovec *pieces, int count, bool is_write)
{
    struct iovec left[MAX_PIECES], *first = left, run[MAX_PIECES];
    memcpy(left, pieces, count * sizeof *pieces);
    while (count) {
        uint64_t bytes = run_bytes(first, count, offset, is_write);
        int taken = cut_off(&first, &count, bytes, run);
        if (!(is_write ? write_run : read_run)(disk, offset, run, taken, bytes))
            return false;
        offset += bytes;
    }
    return true;
}

bool store_read(struct disk *disk, uint64_t offset, struct iovec *pieces, int count)
{
    return in_runs(disk, offset, pieces, count, false);
}

bool store_write(struct disk *disk, uint64_t offset, struct iovec *pieces, int count)
{
    return in_runs(disk, offset, pieces, count, true);
}
