/* Where sectors lie on a spinning disk, and how long it takes to come to them and to pass over them.
 *
 * Bits are as dense inside as outside, so the rate goes with the radius and the bytes within it with its square; the
 * sectors are in zones of equal tracks each. Tracks are shifted against each other by as much as the platter turns while
 * the head changes over, so that reading on loses only that. */

#include "drive.h"

#include <math.h>

static const double MISSED = 0.5 * MS; /* what comes round sooner after a seek is missed: the head still settles */

struct place { double track, angle; bool is_inside; };

static double share(double value)
{
    return value - floor(value);
}

static const struct zone *zone_of(const struct spinning *it, int64_t sector)
{
    int64_t number = sector / it->zone_sectors;
    return it->zones + (number < ZONES ? number : ZONES - 1);
}

void geometry_begin(struct drive *drive)
{
    struct spinning *it = &drive->spinning;
    double outside = drive->is.outside_mb_s * 1e6, inside = drive->is.inside_mb_s * 1e6;
    it->turn = 60e9 / drive->is.rpm;
    it->change = drive->is.track_ms * MS;
    it->zone_sectors = drive->sectors / ZONES;
    it->tracks = 0;
    for (int number = 0; number < ZONES; number++) {
        struct zone *zone = it->zones + number;
        double rate = sqrt(outside * outside - (outside * outside - inside * inside) * (number + 0.5) / ZONES);
        zone->first = number * it->zone_sectors;
        zone->per_track = floor(rate * (it->turn + it->change) / 1e9 / SECTOR);
        zone->first_track = it->tracks;
        it->tracks += ceil(it->zone_sectors / zone->per_track);
    }
}

static struct place place_of(const struct spinning *it, int64_t sector)
{
    const struct zone *zone = zone_of(it, sector);
    double within = (sector - zone->first) / zone->per_track, track = floor(within);
    return (struct place){zone->first_track + track, share(within + track * it->change / it->turn)};
}

double spinning_positioning(const struct drive *drive, int64_t from, int64_t now, int64_t to, bool is_write)
{
    const struct spinning *it = &drive->spinning;
    struct place here = place_of(it, from), there = place_of(it, to);
    double tracks = fabs(there.track - here.track), seek = 0, wait;
    if (tracks > 1) {
        double stroke = tracks / it->tracks;
        seek = drive->is.settle_ms + drive->is.root_ms * sqrt(stroke) + drive->is.linear_ms * stroke;
        seek = (seek + (is_write ? drive->is.write_ms : 0)) * MS;
    } else if (tracks == 1)
        seek = it->change;
    wait = share(there.angle - (now + seek) / it->turn) * it->turn;
    if (wait > it->turn - 1000) /* it is just there: rounding */
        wait = 0;
    if (tracks > 1 && wait < MISSED)
        wait += it->turn;
    return seek + wait;
}

double spinning_passing(const struct spinning *it, int64_t first, int64_t end)
{
    double time = 0;
    while (first < end) {
        const struct zone *zone = zone_of(it, first);
        int64_t until = zone == it->zones + ZONES - 1 ? end : zone->first + it->zone_sectors;
        until = until < end ? until : end;
        double from = (first - zone->first) / zone->per_track, to = (until - zone->first) / zone->per_track;
        time += (to - from) * it->turn + (floor(to) - floor(from)) * it->change;
        first = until;
    }
    return time;
}

int64_t geometry_reached(const struct spinning *it, int64_t first, double passed)
{
    const struct zone *zone = zone_of(it, first);
    double from = (first - zone->first) / zone->per_track, left = (1 - share(from)) * it->turn, period = it->turn + it->change;
    if (passed <= 0)
        return first;
    if (passed <= left)
        return first + passed / it->turn * zone->per_track;
    passed -= left;
    double turns = floor(passed / period), rest = passed - turns * period - it->change;
    double to = floor(from) + 1 + turns + (rest > 0 ? rest / it->turn : 0);
    return zone->first + to * zone->per_track;
}
