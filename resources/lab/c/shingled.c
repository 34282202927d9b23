/* Shingled tracks: small writes go to a log at the outside, and from there, band by band, to their places.
 *
 * After Aghayev and Desnoyers, Skylight (FAST 2015): the log is of limited size and takes a limited number of pieces;
 * each append is closed before the next begins; when the log is full, every write waits for a band to be read and
 * written anew, and when nothing is asked of the disk it does that by itself. Long writes go to their bands at once.
 * Not modelled: that reading what lies in the log means going there. */

#include "drive.h"

#include <stdlib.h>

enum { LONG_SECTORS = 2048 };
static const double CLOSING = 0.3 * MS; /* then the place behind has just passed by: an append costs a turn */

void shingled_begin(struct drive *drive)
{
    struct spinning *it = &drive->spinning;
    it->band_sectors = drive->is.band_mib * (1 << 20) / SECTOR;
    it->bands = it->band_sectors ? drive->sectors / it->band_sectors + 1 : 0;
    it->band_pieces = calloc(it->bands ? it->bands : 1, sizeof *it->band_pieces);
}

bool shingled_tidy(struct drive *drive, int64_t now)
{
    struct spinning *it = &drive->spinning;
    if (!it->log_pieces)
        return false;
    while (!it->band_pieces[it->next_band])
        it->next_band = (it->next_band + 1) % it->bands;
    int64_t first = it->next_band * it->band_sectors, end = first + it->band_sectors, pieces = it->band_pieces[it->next_band];
    if (end > drive->sectors)
        end = drive->sectors;
    double pass = spinning_passing(it, first, end);
    int64_t read = now + spinning_positioning(drive, spinning_head(drive, now), now, first, false) + pass;
    int64_t written = read + spinning_positioning(drive, end, read, first, true) + pass;
    it->log_sectors -= it->log_sectors * pieces / it->log_pieces;
    it->log_pieces -= pieces;
    it->band_pieces[it->next_band] = 0;
    it->next_band = (it->next_band + 1) % it->bands;
    spinning_busy(drive, written, end);
    return true;
}

static bool is_full(const struct drive *drive)
{
    return drive->spinning.log_pieces >= drive->is.log_pieces
           || drive->spinning.log_sectors * (double)SECTOR >= drive->is.log_mib * (1 << 20);
}

bool shingled_write(struct drive *drive, int number, int64_t now)
{
    struct spinning *it = &drive->spinning;
    struct extent *extent = it->dirty + number;
    int64_t sectors = 0;
    if (!it->bands || extent->end - extent->first >= LONG_SECTORS || extent->first == it->direct_end) {
        it->direct_end = extent->end;
        return false;
    }
    if (is_full(drive) && shingled_tidy(drive, now))
        return true;
    for (int taken = 0; taken < drive->is.log_batch && it->dirty_count; taken++) {
        if (number >= it->dirty_count)
            number = 0;
        extent = it->dirty + number;
        if (extent->end - extent->first >= LONG_SECTORS)
            break;
        sectors += extent->end - extent->first;
        it->band_pieces[extent->first / it->band_sectors]++;
        it->log_pieces++;
        cache_clean(drive, number, extent->end - extent->first);
    }
    int64_t from = now + CLOSING;
    double there = spinning_positioning(drive, spinning_head(drive, now), from, it->log_head, true);
    int64_t end = it->log_head + sectors;
    it->log_sectors += sectors;
    spinning_busy(drive, from + there + spinning_passing(it, it->log_head, end), end);
    it->log_head = end * (double)SECTOR < drive->is.log_mib * (1 << 20) ? end : 0;
    return true;
}
