/* A spinning disk's memory: what was read, and what was written and isn't on the medium yet. */

#include "drive.h"

#include <string.h>

bool cache_holds(const struct drive *drive, int64_t first, int64_t end)
{
    const struct spinning *it = &drive->spinning;
    for (const struct held *held = it->held; held < it->held + MAX_HELD; held++)
        if (first >= held->first && end <= held->end)
            return true;
    for (const struct extent *dirty = it->dirty; dirty < it->dirty + it->dirty_count; dirty++)
        if (first >= dirty->first && end <= dirty->end)
            return true;
    return false;
}

void cache_hold(struct drive *drive, int64_t first, int64_t end, int64_t now)
{
    int64_t most = drive->is.held_kib * 1024 / SECTOR;
    struct held *place = drive->spinning.held, *held = place;
    for (; held < drive->spinning.held + (int)drive->is.held_runs; held++)
        if (held->end == first && held->end > held->first) { /* goes on */
            first = held->first;
            place = held;
            break;
        } else if (held->used < place->used)
            place = held; /* used longest ago */
    *place = (struct held){end - first > most ? end - most : first, end, now};
}

/* What was held of a place that is written to isn't true any more. */
void cache_overwrite(struct drive *drive, int64_t first, int64_t end)
{
    struct spinning *it = &drive->spinning;
    for (struct held *held = it->held; held < it->held + MAX_HELD; held++)
        if (held->first < end && first < held->end)
            held->end = held->first;
}

/* The number of the first extent that ends at ``first`` or behind it. */
static int search(const struct spinning *it, int64_t first)
{
    int low = 0, high = it->dirty_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (it->dirty[middle].end < first)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool cache_has_room(const struct drive *drive, int64_t first, int64_t end)
{
    const struct spinning *it = &drive->spinning;
    int number = search(it, first);
    bool joins = number < it->dirty_count && it->dirty[number].first <= end;
    int64_t all = it->dirty_sectors + it->leaving_sectors;
    if (all + end - first > drive->is.cache_mib * (1 << 20) / SECTOR && all > 0)
        return false;
    return joins || (it->dirty_count < drive->is.cache_pieces && it->dirty_count < MAX_DIRTY);
}

void cache_write(struct drive *drive, int64_t first, int64_t end, int64_t now)
{
    struct spinning *it = &drive->spinning;
    int number = search(it, first), after = number;
    struct extent joined = {first, end, now};
    cache_overwrite(drive, first, end);
    undo_keep(drive, first, end, NEVER);
    for (; after < it->dirty_count && it->dirty[after].first <= end; after++) {
        struct extent *one = it->dirty + after;
        it->dirty_sectors -= one->end - one->first;
        joined.first = one->first < joined.first ? one->first : joined.first;
        joined.end = one->end > joined.end ? one->end : joined.end;
        joined.since = one->since < joined.since ? one->since : joined.since;
    }
    memmove(it->dirty + number + 1, it->dirty + after, (it->dirty_count - after) * sizeof joined);
    it->dirty_count += 1 - (after - number);
    it->dirty[number] = joined;
    it->dirty_sectors += joined.end - joined.first;
}

void cache_clean(struct drive *drive, int number, int64_t sectors)
{
    struct spinning *it = &drive->spinning;
    struct extent *extent = it->dirty + number;
    undo_forget(drive, extent->first, extent->first + sectors);
    extent->first += sectors;
    it->dirty_sectors -= sectors;
    it->leaving_sectors += sectors;
    if (extent->first == extent->end)
        memmove(extent, extent + 1, (--it->dirty_count - number) * sizeof *extent);
}
