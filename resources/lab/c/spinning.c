/* A spinning disk: what its arm does next.
 *
 * After a command to read, the head reads on for a while, and what it has read is held. Of the commands that wait, the
 * one is taken whose place is reached first, less a little for its age; two rules keep streams together, without which
 * the shortest positioning would jump ahead in a stream and lose a turn: what lies shortly ahead of the running read
 * costs nothing to reach, and what lies shortly behind another command that waits is no candidate. Writes are done when
 * they are in the cache, and written back when nothing is read, when half of the cache is full, after a second, or for a
 * flush. */

#include "drive.h"

#include <string.h>

enum { NEAR_SECTORS = 1024, WRITE_BACK_SECTORS = 2048 };
static const double AGE_COUNTS = 0.015, AGE_OF_WRITES_COUNTS = 0.002; /* the latter only keeps any from waiting for ever */
static const int64_t QUIET = 4 * MS, OLD = 1000 * MS, IDLE = 2000 * MS;

void spinning_begin(struct drive *drive)
{
    geometry_begin(drive);
    shingled_begin(drive);
}

void spinning_stop(struct drive *drive)
{
    struct spinning *it = &drive->spinning;
    it->is_running = it->is_busy = false;
    it->taken = NULL;
    it->dirty_count = it->dirty_sectors = it->leaving_sectors = it->head = 0;
    memset(it->held, 0, sizeof it->held);
}

void spinning_busy(struct drive *drive, int64_t until, int64_t end)
{
    struct spinning *it = &drive->spinning;
    it->is_running = false;
    it->is_busy = true;
    it->busy_until = until;
    it->busy_end = end;
}

int64_t spinning_head(struct drive *drive, int64_t now)
{
    struct spinning *it = &drive->spinning;
    if (!it->is_running)
        return it->head;
    int64_t reached = geometry_reached(it, it->run_first, now - it->run_since);
    return reached < it->run_limit ? reached : it->run_limit;
}

/* ---- reading ---- */

static void read_on(struct drive *drive, int64_t end)
{
    struct spinning *it = &drive->spinning;
    int64_t limit = end + drive->is.read_ahead_kib * 1024 / SECTOR;
    if (limit > drive->sectors)
        limit = drive->sectors;
    if (limit > it->run_limit)
        it->run_limit = limit;
}

/* A read of what is held already: the head stays as far ahead of it as before, or goes on from where it stopped. */
static void follow(struct drive *drive, const struct request *request)
{
    struct spinning *it = &drive->spinning;
    int64_t ahead = drive->is.read_ahead_kib * 1024 / SECTOR;
    if (it->is_running && request->first >= it->run_first && request->first <= it->run_limit)
        read_on(drive, request->end);
    else if (!it->is_running && request->end <= it->head && request->end + ahead > it->head) {
        it->follower = request->first;
        it->wanted = request->end + ahead < drive->sectors ? request->end + ahead : drive->sectors;
    }
}

static void go_on(struct drive *drive, int64_t now)
{
    struct spinning *it = &drive->spinning;
    int64_t there = now + spinning_positioning(drive, it->head, now, it->head, false);
    it->is_running = true;
    it->run_first = it->follower; /* as if it came from there, so that what is held and what comes are one */
    it->run_since = there - spinning_passing(it, it->follower, it->head);
    it->run_limit = it->wanted;
    it->wanted = 0;
}

/* Shortly ahead of the running read: passed already, or within a turn, which no seek undercuts. */
static bool is_ahead(struct drive *drive, const struct request *request, int64_t now)
{
    struct spinning *it = &drive->spinning;
    if (!it->is_running || request->work != READING || request->first < it->run_first
        || request->first > it->run_limit + NEAR_SECTORS)
        return false;
    return request->first <= geometry_reached(it, it->run_first, now - it->run_since + it->turn);
}

/* What the running read has passed is held from now on. */
static void stop_running(struct drive *drive, int64_t now)
{
    struct spinning *it = &drive->spinning;
    it->wanted = 0;
    if (!it->is_running)
        return;
    it->head = spinning_head(drive, now);
    if (it->head > it->run_first)
        cache_hold(drive, it->run_first, it->head, now);
    it->is_running = false;
}

/* Let the run begin at ``sector``, which it passes or will; what lies before is held. */
static void run_from(struct drive *drive, int64_t sector, int64_t now)
{
    struct spinning *it = &drive->spinning;
    if (sector > it->run_first)
        cache_hold(drive, it->run_first, sector, now);
    it->run_since += spinning_passing(it, it->run_first, sector);
    it->run_first = sector;
}

static double retries(const struct drive *drive, const struct request *request)
{
    double at = (double)request->first / drive->sectors;
    if (spot_in(drive->disk, request->first * SECTOR, request->end * SECTOR) >= 0)
        return drive->is.recovery_ms * MS;
    return at >= drive->is.slow_from && at < drive->is.slow_until ? drive->is.slow_turns * drive->spinning.turn : 0;
}

static void take_read(struct drive *drive, struct request *request, int64_t now)
{
    struct spinning *it = &drive->spinning;
    double extra = retries(drive, request);
    if (is_ahead(drive, request, now) && !extra)
        run_from(drive, request->first, now);
    else {
        stop_running(drive, now);
        it->run_first = request->first;
        it->run_since = now + spinning_positioning(drive, it->head, now, request->first, false) + extra;
        it->run_limit = 0;
    }
    int64_t until = it->run_since + spinning_passing(it, it->run_first, request->end);
    spinning_busy(drive, until > now ? until : now, request->end);
    it->is_running = true;
    it->taken = request;
    request->stage = TAKEN;
    read_on(drive, request->end);
}

/* ---- writing ---- */

static void write_through(struct drive *drive, struct request *request, int64_t now)
{
    struct spinning *it = &drive->spinning;
    stop_running(drive, now);
    cache_overwrite(drive, request->first, request->end);
    double there = spinning_positioning(drive, it->head, now, request->first, true);
    spinning_busy(drive, now + there + spinning_passing(it, request->first, request->end), request->end);
    it->taken = request;
    request->stage = TAKEN;
}

static void write_back(struct drive *drive, int number, int64_t now)
{
    struct spinning *it = &drive->spinning;
    stop_running(drive, now);
    if (shingled_write(drive, number, now))
        return;
    int64_t first = it->dirty[number].first, sectors = it->dirty[number].end - first;
    if (sectors > WRITE_BACK_SECTORS)
        sectors = WRITE_BACK_SECTORS;
    double there = spinning_positioning(drive, it->head, now, first, true);
    cache_clean(drive, number, sectors);
    spinning_busy(drive, now + there + spinning_passing(it, first, first + sectors), first + sectors);
    it->direct_end = first + sectors;
}

/* ---- what next ---- */

/* The first flush that waits: what came before it is done first, what came after it later (ATA's isn't queued). */
static struct request *flush_of(const struct drive *drive)
{
    struct request *request = drive->first;
    while (request && (request->work != FLUSHING || request->stage != QUEUED))
        request = request->next_in_drive;
    return request;
}

static bool is_for_arm(const struct drive *drive, const struct request *request, int64_t now)
{
    return request->stage == QUEUED && request->at <= now
           && (request->work == READING || (request->work == WRITING && drive->disk->is_cache_off));
}

static bool follows_another(const struct drive *drive, const struct request *request, const struct request *flush, int64_t now)
{
    for (struct request *other = drive->first; other != flush; other = other->next_in_drive)
        if (other != request && is_for_arm(drive, other, now) && other->work == request->work
            && other->first < request->first && request->first <= other->end + NEAR_SECTORS)
            return true;
    return false;
}

static struct request *cheapest_command(struct drive *drive, const struct request *flush, int64_t now, double *cost)
{
    struct request *found = NULL, *ahead = NULL;
    for (struct request *request = drive->first; request != flush; request = request->next_in_drive) {
        if (!is_for_arm(drive, request, now) || follows_another(drive, request, flush, now))
            continue;
        if (is_ahead(drive, request, now)) {
            if (!ahead || request->first < ahead->first)
                ahead = request;
            continue;
        }
        double there = spinning_positioning(drive, spinning_head(drive, now), now, request->first, request->work == WRITING)
            - AGE_COUNTS * (now - request->arrived);
        if (!found || there < *cost) {
            found = request;
            *cost = there;
        }
    }
    if (!ahead)
        return found;
    double passing = -AGE_COUNTS * (now - ahead->arrived); /* others wait until they are older, but not for ever */
    if (found && *cost < passing)
        return found;
    *cost = passing;
    return ahead;
}

static int cheapest_dirty(struct drive *drive, int64_t now, double *cost)
{
    struct spinning *it = &drive->spinning;
    int64_t head = spinning_head(drive, now);
    int found = -1;
    for (int number = 0; number < it->dirty_count; number++) {
        const struct extent *one = it->dirty + number;
        if (number && one->first <= one[-1].end + NEAR_SECTORS && head > one[-1].end)
            continue; /* it follows that one */
        double there = spinning_positioning(drive, head, now, one->first, true) - AGE_OF_WRITES_COUNTS * (now - one->since);
        if (found < 0 || there < *cost) {
            found = number;
            *cost = there;
        }
    }
    return found;
}

static int64_t oldest_dirty(const struct spinning *it)
{
    int64_t oldest = NEVER;
    for (int number = 0; number < it->dirty_count; number++)
        if (it->dirty[number].since < oldest)
            oldest = it->dirty[number].since;
    return oldest;
}

/* When writing back has to begin: with nothing to read after a while of quiet, else only when it is urgent. */
static int64_t write_back_at(const struct drive *drive, const struct request *flush, bool has_reads, int64_t now)
{
    const struct spinning *it = &drive->spinning;
    if (!it->dirty_count)
        return NEVER;
    bool is_urgent = flush || it->dirty_sectors * (double)SECTOR * 2 > drive->is.cache_mib * (1 << 20)
                     || it->dirty_count * 2 > drive->is.cache_pieces;
    for (struct request *request = drive->first; request; request = request->next_in_drive)
        is_urgent |= request->work == WRITING && request->stage == QUEUED && request->at <= now;
    if (is_urgent)
        return now;
    int64_t old = oldest_dirty(it) + OLD, quiet = it->quiet_since + QUIET;
    return has_reads || old < quiet ? old : quiet;
}

/* Give the arm something to do; when it may have something later, or NEVER. */
static int64_t move_arm(struct drive *drive, int64_t now)
{
    struct spinning *it = &drive->spinning;
    double command_cost = 0, dirty_cost = 0;
    struct request *flush = flush_of(drive), *request = cheapest_command(drive, flush, now, &command_cost);
    int64_t begin = write_back_at(drive, flush, request != NULL, now);
    int number = begin <= now ? cheapest_dirty(drive, now, &dirty_cost) : -1;
    if (request && (number < 0 || command_cost <= dirty_cost)) {
        (request->work == READING ? take_read : write_through)(drive, request, now);
        return it->busy_until;
    }
    if (number >= 0) {
        write_back(drive, number, now);
        return it->busy_until;
    }
    if (it->wanted > it->head)
        go_on(drive, now);
    if (!it->log_pieces)
        return begin;
    int64_t idle = drive->first ? NEVER : it->idle_since + IDLE; /* a command that waits is an event of its own */
    if (now >= idle) {
        stop_running(drive, now);
        shingled_tidy(drive, now);
        return it->busy_until;
    }
    return begin < idle ? begin : idle;
}

/* ---- events ---- */

static void finish_busy(struct drive *drive)
{
    struct spinning *it = &drive->spinning;
    struct request *taken = it->taken;
    it->head = it->busy_end;
    it->leaving_sectors = 0;
    it->is_busy = false;
    it->taken = NULL;
    if (!taken)
        return;
    int64_t done = it->busy_until, bytes = (taken->end - taken->first) * SECTOR;
    if (taken->work == READING) {
        int64_t since = done - spinning_passing(it, taken->first, taken->end);
        done = drive_cable(drive, since, done, bytes);
    }
    drive_finish(taken, done + drive->is.command_us * 1000);
}

static bool is_read_by_now(struct drive *drive, const struct request *request, int64_t now)
{
    struct spinning *it = &drive->spinning;
    return it->is_running && request->first >= it->run_first
           && request->end <= spinning_head(drive, now);
}

/* Answer what needs no arm: reads of what is held, writes for which the cache has room, a flush with nothing to write. */
static void answer(struct drive *drive, int64_t now)
{
    const struct spinning *it = &drive->spinning;
    int64_t answered = now + drive->is.command_us * 1000;
    for (struct request *request = drive->first; request; request = request->next_in_drive) {
        if (request->work == FLUSHING && request->stage == QUEUED) {
            if (request == drive->first && !it->dirty_count && !it->leaving_sectors)
                drive_finish(request, answered);
            return;
        }
        if (request->stage != QUEUED || request->at > now)
            continue;
        if (request->work == READING) {
            bool is_held = cache_holds(drive, request->first, request->end) || is_read_by_now(drive, request, now);
            if (is_held && spot_in(drive->disk, request->first * SECTOR, request->end * SECTOR) < 0)
                drive_finish(request, drive_cable(drive, now, now, (request->end - request->first) * SECTOR) + answered - now);
            if (is_held)
                follow(drive, request);
        } else if (!drive->disk->is_cache_off && cache_has_room(drive, request->first, request->end)) {
            cache_write(drive, request->first, request->end, now);
            drive_finish(request, answered);
        }
    }
}

static int64_t earliest_arrival(const struct drive *drive, int64_t now)
{
    int64_t next = NEVER;
    for (struct request *request = drive->first; request; request = request->next_in_drive)
        if (request->stage == QUEUED && request->at > now && request->at < next)
            next = request->at;
    return next;
}

static void note_arrival(struct spinning *it, const struct request *request)
{
    if (request->arrived > it->idle_since)
        it->idle_since = request->arrived;
    if (request->work == READING && request->arrived > it->quiet_since)
        it->quiet_since = request->arrived;
}

int64_t spinning_advance(struct drive *drive, int64_t now)
{
    struct spinning *it = &drive->spinning;
    if (it->is_busy && it->busy_until <= now)
        finish_busy(drive);
    for (struct request *request = drive->first; request; request = request->next_in_drive)
        note_arrival(it, request);
    if (it->is_running && !it->is_busy && spinning_head(drive, now) >= it->run_limit)
        stop_running(drive, now); /* what comes behind has passed by */
    answer(drive, now);
    int64_t next = it->is_busy ? it->busy_until : move_arm(drive, now), arrival = earliest_arrival(drive, now);
    return next < arrival ? next : arrival;
}
