/* Flash: a latency, behind one pipe that takes so long for each command and so many bytes a second.
 *
 * Writes go to a part that is written fast (one bit a cell) until that is full, then at the rate at which it can be
 * folded into the rest; when nothing is asked of the disk for a second, it is folded and so gets free again. Not
 * modelled: heat, wear, and collecting garbage (the folded rate stands for it). */

#include "drive.h"

static const int64_t RESTS_AFTER = 1000 * MS;

static int64_t pipe_through(struct drive *drive, int64_t from, double us, double command_us, double mb_s, int64_t bytes)
{
    double through = bytes * 1000.0 / mb_s, least = command_us * 1000;
    int64_t begin = from + us * 1000;
    if (begin < drive->flash.pipe_free)
        begin = drive->flash.pipe_free;
    return drive->flash.pipe_free = begin + (through > least ? through : least);
}

static void rest(struct drive *drive, int64_t now)
{
    struct flash *it = &drive->flash;
    int64_t rested = now - it->pipe_free - RESTS_AFTER;
    if (rested <= 0)
        return;
    it->fast_used -= rested * drive->is.folded_mb_s / 1000;
    if (it->fast_used < 0)
        it->fast_used = 0;
    it->pipe_free = now - RESTS_AFTER; /* what was rested is rested */
}

static int64_t write_through(struct drive *drive, struct request *request, int64_t bytes)
{
    const struct figures *is = &drive->is;
    bool is_fast = drive->flash.fast_used + bytes <= is->fast_mib * (1 << 20);
    if (is_fast)
        drive->flash.fast_used += bytes;
    int64_t done = pipe_through(drive, request->at, is->write_us, is_fast ? is->write_command_us : is->folded_command_us,
                                is_fast ? is->write_mb_s : is->folded_mb_s, bytes);
    if (drive->disk->is_cache_off)
        return done + is->flush_us * 1000;
    undo_keep(drive, request->first, request->end, done + is->kept_ms * MS);
    return done;
}

void flash_take(struct drive *drive, struct request *request, int64_t now)
{
    const struct figures *is = &drive->is;
    int64_t bytes = (request->end - request->first) * SECTOR, done;
    undo_expire(drive, now);
    rest(drive, now);
    if (request->work == READING) {
        done = pipe_through(drive, now, is->read_us, is->read_command_us, is->read_mb_s, bytes);
        done = drive_cable(drive, now + is->read_us * 1000, done, bytes);
    } else if (request->work == WRITING)
        done = write_through(drive, request, bytes);
    else {
        undo_expire(drive, NEVER);
        done = (now > drive->flash.pipe_free ? now : drive->flash.pipe_free) + is->flush_us * 1000;
    }
    drive_finish(request, done);
}
