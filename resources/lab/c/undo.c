/* What a power cut undoes. Bytes go to the store as soon as a write is answered, so that every read finds them; until
 * they would be on the medium, what they overwrote is kept here, block by block, and put back when the power goes. */

#include "drive.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096, BLOCK_SECTORS = BLOCK / SECTOR, BUCKETS = 1 << 14, AT_ONCE = 64 };

struct block {
    struct block *next;     /* in its bucket */
    int64_t number, safe_at;
    char *old;              /* NULL for zeros */
};

struct run { struct run *next; int64_t first, end, safe_at; };

struct undo {
    struct block *buckets[BUCKETS];
    struct run *runs, **last_run; /* those that time makes safe, in that order */
};

static struct block **find(struct undo *undo, int64_t number)
{
    struct block **place = &undo->buckets[number * 0x9e3779b97f4a7c15ull >> 50];
    while (*place && (*place)->number != number)
        place = &(*place)->next;
    return place;
}

static void drop(struct block **place)
{
    struct block *block = *place;
    *place = block->next;
    free(block->old);
    free(block);
}

/* The pieces of memory that hold a block of the disk, whose last may be a part of one. */
static struct iovec piece_of(struct drive *drive, int64_t number, int count, char *memory)
{
    uint64_t left = drive->disk->bytes - number * BLOCK, all = (uint64_t)count * BLOCK;
    struct iovec piece = {memory, left < all ? left : all};
    return piece;
}

static void keep_blocks(struct drive *drive, int64_t number, int count, int64_t safe_at)
{
    static char old[AT_ONCE * BLOCK], zeros[BLOCK];
    bool is_read = false;
    for (int index = 0; index < count; index++) {
        struct block **place = find(drive->undo, number + index), *block = *place;
        if (!block) { /* else what was under the first write is what comes back */
            struct iovec pieces = piece_of(drive, number, count, old);
            if (!is_read && !(is_read = store_read(drive->disk, number * BLOCK, &pieces, 1)))
                return;
            *place = block = calloc(1, sizeof *block);
            block->number = number + index;
            if (memcmp(old + index * BLOCK, zeros, BLOCK) != 0)
                block->old = memcpy(malloc(BLOCK), old + index * BLOCK, BLOCK);
        }
        block->safe_at = safe_at;
    }
}

void undo_keep(struct drive *drive, int64_t first, int64_t end, int64_t safe_at)
{
    int64_t number = first / BLOCK_SECTORS, after = (end + BLOCK_SECTORS - 1) / BLOCK_SECTORS;
    if (!drive->undo) {
        drive->undo = calloc(1, sizeof *drive->undo);
        drive->undo->last_run = &drive->undo->runs;
    }
    for (; number < after; number += AT_ONCE)
        keep_blocks(drive, number, after - number < AT_ONCE ? after - number : AT_ONCE, safe_at);
    if (safe_at == NEVER)
        return;
    struct run *run = malloc(sizeof *run);
    *run = (struct run){NULL, first, end, safe_at};
    *drive->undo->last_run = run;
    drive->undo->last_run = &run->next;
}

static void forget(struct drive *drive, int64_t first, int64_t end, int64_t until)
{
    for (int64_t number = first / BLOCK_SECTORS; drive->undo && number * BLOCK_SECTORS < end; number++) {
        struct block **place = find(drive->undo, number);
        if (*place && (until == NEVER || (*place)->safe_at <= until))
            drop(place);
    }
}

void undo_forget(struct drive *drive, int64_t first, int64_t end)
{
    forget(drive, first, end, NEVER);
}

void undo_expire(struct drive *drive, int64_t now)
{
    struct undo *undo = drive->undo;
    struct run *run;
    while (undo && (run = undo->runs) && run->safe_at <= now) {
        forget(drive, run->first, run->end, now);
        if (!(undo->runs = run->next))
            undo->last_run = &undo->runs;
        free(run);
    }
}

void undo_all(struct drive *drive)
{
    static char zeros[BLOCK];
    for (int bucket = 0; drive->undo && bucket < BUCKETS; bucket++)
        while (drive->undo->buckets[bucket]) {
            struct block *block = drive->undo->buckets[bucket];
            struct iovec piece = piece_of(drive, block->number, 1, block->old ? block->old : zeros);
            store_write(drive->disk, block->number * BLOCK, &piece, 1);
            drop(&drive->undo->buckets[bucket]);
        }
    undo_expire(drive, NEVER);
}
