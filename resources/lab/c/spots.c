/* Spots of a disk that can't be read until they are written anew. */

#include "disks.h"

#include <string.h>

bool spot_add(struct disk *disk, uint64_t first_byte, uint64_t end_byte)
{
    if (disk->spot_count == MAX_SPOTS || first_byte >= end_byte || end_byte > disk->bytes)
        return false;
    disk->spots[disk->spot_count++] = (struct spot){first_byte, end_byte};
    return true;
}

int64_t spot_in(const struct disk *disk, uint64_t first_byte, uint64_t end_byte)
{
    int64_t found = -1;
    for (int number = 0; number < disk->spot_count; number++) {
        const struct spot *spot = disk->spots + number;
        if (spot->first < end_byte && first_byte < spot->end) {
            int64_t at = spot->first > first_byte ? spot->first : first_byte;
            found = found < 0 || at < found ? at : found;
        }
    }
    return found;
}

void spot_heal(struct disk *disk, uint64_t first_byte, uint64_t end_byte)
{
    for (int number = disk->spot_count - 1; number >= 0; number--) {
        struct spot *spot = disk->spots + number, old = *spot;
        if (old.first >= end_byte || first_byte >= old.end)
            continue;
        memmove(spot, spot + 1, (--disk->spot_count - number) * sizeof *spot);
        if (old.first < first_byte)
            spot_add(disk, old.first, first_byte);
        if (end_byte < old.end)
            spot_add(disk, end_byte, old.end);
    }
}
