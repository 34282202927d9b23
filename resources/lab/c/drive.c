/* Disks with the timing of real ones. A command is handed over when it arrives and is answered when the model says so.
 *
 * Everything happens at a time that the model works out, in order, over all disks; that the host gets round to it later
 * moves none of these times, so lateness doesn't add up. */

#define _GNU_SOURCE
#include "drive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool are_there, has_finished;
static double pace = 1; /* the machine's seconds for each of the host's */
static struct link links[MAX_TARGETS];

#define FIGURE(name) {#name, offsetof(struct figures, name)}
static const struct { const char *name; size_t offset; } names[] = {
    FIGURE(cable_mb_s), FIGURE(command_us), FIGURE(link_mb_s), FIGURE(rpm), FIGURE(outside_mb_s), FIGURE(inside_mb_s),
    FIGURE(track_ms), FIGURE(settle_ms), FIGURE(root_ms), FIGURE(linear_ms), FIGURE(write_ms), FIGURE(read_ahead_kib),
    FIGURE(held_kib), FIGURE(held_runs), FIGURE(cache_mib), FIGURE(cache_pieces), FIGURE(band_mib), FIGURE(log_mib),
    FIGURE(log_pieces), FIGURE(log_batch), FIGURE(slow_from), FIGURE(slow_until), FIGURE(slow_turns),
    FIGURE(recovery_ms), FIGURE(read_mb_s), FIGURE(read_us), FIGURE(read_command_us), FIGURE(write_mb_s),
    FIGURE(write_us), FIGURE(write_command_us), FIGURE(fast_mib), FIGURE(folded_mb_s), FIGURE(folded_command_us),
    FIGURE(flush_us), FIGURE(kept_ms),
};

void drives_begin(double machine_seconds_a_second)
{
    pace = machine_seconds_a_second;
}

int64_t drives_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec * 1e9 + now.tv_nsec) * pace;
}

double drives_host_ns(int64_t machine_ns)
{
    return machine_ns / pace;
}

static struct link *find_link(const char *name)
{
    for (struct link *link = links; link < links + MAX_TARGETS; link++) {
        if (!link->name[0])
            strncpy(link->name, name, sizeof link->name - 1);
        if (strncmp(link->name, name, sizeof link->name - 1) == 0)
            return link;
    }
    return NULL;
}

/* NAME=VALUE, or link=NAME */
bool drive_figure(struct disk *disk, const char *word)
{
    const char *value = strchr(word, '=');
    if (!value)
        return false;
    if (!disk->drive && !(disk->drive = calloc(1, sizeof *disk->drive)))
        return false;
    if (strncmp(word, "link=", 5) == 0)
        return (disk->drive->link = find_link(value + 1)) != NULL;
    for (int number = 0; number < sizeof names / sizeof *names; number++)
        if (strlen(names[number].name) == value - word && strncmp(names[number].name, word, value - word) == 0) {
            *(double *)((char *)&disk->drive->is + names[number].offset) = strtod(value + 1, NULL);
            return true;
        }
    return false;
}

void drive_begin(struct disk *disk)
{
    struct drive *drive = disk->drive;
    are_there = true;
    drive->disk = disk;
    drive->sectors = disk->bytes / SECTOR;
    drive->next = NEVER;
    if (drive->link)
        drive->link->mb_s = drive->is.link_mb_s;
    if (drive->is.rpm)
        spinning_begin(drive);
}

/* ---- the way to the host ---- */

static int64_t over(double mb_s, int64_t *free, int64_t from, int64_t until, int64_t bytes)
{
    if (!mb_s)
        return until;
    int64_t begin = from > *free ? from : *free, end = begin + bytes * 1000.0 / mb_s;
    *free = end;
    return end > until ? end : until;
}

int64_t drive_cable(struct drive *drive, int64_t from, int64_t until, int64_t bytes)
{
    until = over(drive->is.cable_mb_s, &drive->cable_free, from, until, bytes);
    return drive->link ? over(drive->link->mb_s, &drive->link->free, from, until, bytes) : until;
}

/* ---- commands ---- */

static void unlink_request(struct request *request)
{
    struct request **place = &request->disk->drive->first;
    while (*place && *place != request)
        place = &(*place)->next_in_drive;
    if (*place)
        *place = request->next_in_drive;
}

void drive_finish(struct request *request, int64_t when)
{
    request->stage = FINISHING;
    request->at = when;
}

static void answer_finished(struct drive *drive, int64_t now)
{
    for (struct request *request = drive->first, *after; request; request = after) {
        after = request->next_in_drive;
        if (request->stage == FINISHING && request->at <= now) {
            unlink_request(request);
            request->stage = FINISHED;
            has_finished = true;
        }
    }
}

static void advance(struct drive *drive, int64_t now)
{
    answer_finished(drive, now); /* first: a flush waits for those before it */
    drive->next = drive->is.rpm ? spinning_advance(drive, now) : NEVER;
    for (struct request *request = drive->first; request; request = request->next_in_drive)
        if (request->stage == FINISHING && request->at < drive->next)
            drive->next = request->at;
}

/* Hand a command over that has just come. */
static void take(struct drive *drive, struct request *request)
{
    int64_t now = drives_now();
    struct request **last = &drive->first;
    while (*last)
        last = &(*last)->next_in_drive;
    *last = request;
    request->next_in_drive = NULL;
    request->stage = QUEUED;
    request->arrived = now;
    request->at = request->work == WRITING ? drive_cable(drive, now, now, request->end * SECTOR - request->first * SECTOR)
                                           : now;
    if (!drive->is.rpm)
        flash_take(drive, request, now);
    advance(drive, now);
}

bool drive_try(struct request *request, enum work work, uint64_t first_byte, uint64_t bytes)
{
    if (request->stage == UNSEEN) {
        drives_run(drives_now());
        request->work = work;
        request->first = first_byte / SECTOR;
        request->end = (first_byte + bytes) / SECTOR;
        take(request->disk->drive, request);
    }
    return request->stage == FINISHED;
}

void drive_drop(struct request *request)
{
    struct drive *drive = request->disk->drive;
    if (request->stage == UNSEEN || request->stage == FINISHED)
        return;
    unlink_request(request);
    if (drive->spinning.taken == request && drive->is.rpm)
        drive->spinning.taken = NULL; /* the arm finishes what it does */
    request->stage = FINISHED;
}

/* The disk with the earliest event, or NULL. */
static struct drive *earliest(void)
{
    struct drive *found = NULL;
    for (int target = 0; target < MAX_TARGETS; target++) {
        struct drive *drive = targets[target] ? targets[target]->drive : NULL;
        if (drive && drive->next != NEVER && (!found || drive->next < found->next))
            found = drive;
    }
    return found;
}

int64_t drives_run(int64_t now)
{
    struct drive *drive;
    while ((drive = earliest()) && drive->next <= now)
        advance(drive, drive->next);
    return drive ? drive->next : NEVER;
}

bool drives_are_there(void)
{
    return are_there;
}

bool drives_have_finished(void)
{
    bool has = has_finished;
    has_finished = false;
    return has;
}

void drive_cut_power(struct disk *disk)
{
    struct drive *drive = disk->drive;
    if (!drive)
        return;
    drives_run(drives_now());
    undo_all(drive);
    drive->next = NEVER;
    drive->cable_free = 0;
    if (drive->is.rpm)
        spinning_stop(drive);
    else
        drive->flash.pipe_free = 0;
}
