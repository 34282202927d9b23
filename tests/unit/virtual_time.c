/* The practice disks' model without a host: its clock is moved from event to event, so nothing but the model is measured.
 *
 * virtual_time BYTES FIGURE=VALUE…; standard input has a line a measurement: read|write|flush|mixed seq|random|beside BYTES
 * DEPTH SECONDS OFFSET SIZE, where ``flush`` is a write and a flush by turns, and ``mixed`` those and a read; ``beside``
 * is one at a time at random beside a stream. Each is answered by the commands a second and their mean latency in ms, both
 * over the second half of the time (beside a stream of those at random). A command that isn't answered ends the program. */

#include "drive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_DEEP = 64, AGAIN_NS = 20000 }; /* what a host needs between an answer and the next command */

struct disk *targets[MAX_TARGETS];
static int64_t now;

int clock_gettime(clockid_t clock, struct timespec *time)
{
    time->tv_sec = now / 1000000000;
    time->tv_nsec = now % 1000000000;
    return 0;
}

bool store_read(struct disk *disk, uint64_t offset, struct iovec *pieces, int count)
{
    memset(pieces->iov_base, 0, pieces->iov_len);
    return true;
}

bool store_write(struct disk *disk, uint64_t offset, struct iovec *pieces, int count) { return true; }

struct work_wanted { char way[8], order[8]; long bytes, depth; double seconds; uint64_t offset, size; };

static void send(struct disk *disk, struct request *request, const struct work_wanted *wanted, uint64_t *place, int slot, int sent)
{
    uint64_t blocks = wanted->size / wanted->bytes, at = *place;
    if (wanted->order[0] == 'r' || (wanted->order[0] == 'b' && !slot))
        at = wanted->offset + ((uint64_t)random() << 31 ^ random()) % blocks * wanted->bytes;
    else if ((*place += wanted->bytes) + wanted->bytes > disk->bytes)
        *place = wanted->offset;
    memset(request, 0, sizeof *request);
    request->disk = disk;
    static const enum work by_turns[] = {WRITING, FLUSHING, READING};
    int turns = wanted->way[0] == 'm' ? 3 : wanted->way[0] == 'f' ? 2 : 1;
    enum work work = wanted->way[0] == 'r' ? READING : by_turns[sent % turns];
    drive_try(request, work, work == FLUSHING ? 0 : at, work == FLUSHING ? 0 : wanted->bytes);
}

static void measure(struct disk *disk, const struct work_wanted *wanted)
{
    static struct request requests[MAX_DEEP];
    int64_t free_at[MAX_DEEP], began = now, half = now + wanted->seconds * 5e8, end = now + wanted->seconds * 1e9, first = 0;
    uint64_t place = wanted->offset;
    double latency = 0;
    long sent = 0, counted = 0, under_way = 0;
    bool is_sent[MAX_DEEP] = {false};
    for (int slot = 0; slot < wanted->depth; slot++)
        free_at[slot] = began;
    while (now < end || under_way) {
        int64_t next = drives_run(now);
        for (int slot = 0; slot < wanted->depth; slot++) {
            struct request *request = requests + slot;
            if (is_sent[slot] && request->stage == FINISHED) {
                is_sent[slot] = false;
                under_way--;
                free_at[slot] = now + AGAIN_NS;
                if (now > half && now < end && first && (!slot || wanted->order[0] != 'b')) {
                    counted++;
                    latency += now - request->arrived;
                } else if (now > half && !first)
                    first = now;
            }
            if (!is_sent[slot] && free_at[slot] <= now && now < end) {
                send(disk, request, wanted, &place, slot, sent++);
                is_sent[slot] = true;
                under_way++;
            } else if (!is_sent[slot] && now < end && free_at[slot] < next)
                next = free_at[slot];
        }
        int64_t due = drives_run(now);
        next = due < next ? due : next;
        if (next == NEVER && under_way) {
            fprintf(stderr, "a command is never answered\n");
            exit(1);
        }
        if (next != NEVER && next > now)
            now = next;
        else if (next == NEVER)
            break;
    }
    printf("%f %f\n", counted / ((end - first) / 1e9), latency / counted / 1e6);
}

int main(int count, char **words)
{
    struct disk *disk = targets[0] = calloc(1, sizeof *disk);
    struct work_wanted wanted;
    disk->bytes = strtoull(words[1], NULL, 10);
    disk->sector_bytes = 512;
    for (int number = 2; number < count; number++)
        if (!drive_figure(disk, words[number]))
            return 2;
    drive_begin(disk);
    now = 1000000000;
    while (scanf("%7s %7s %ld %ld %lf %lu %lu", wanted.way, wanted.order, &wanted.bytes, &wanted.depth, &wanted.seconds,
                 &wanted.offset, &wanted.size) == 7)
        measure(disk, &wanted);
    return 0;
}
