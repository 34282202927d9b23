/* The timing of a disk of a kind: what its parts know of each other. Times are nanoseconds on the machine's clock (which
 * may run slower or faster than the host's), places are sectors of 512 bytes. */

#ifndef DRIVE_H
#define DRIVE_H

#include "disks.h"

#define NEVER INT64_MAX
#define MS 1000000.0

enum { SECTOR = 512, MAX_DIRTY = 512, MAX_HELD = 64, ZONES = 24 };

/* What it is given as NAME=VALUE (drive.c lists the names; lab/disks/timing.py says what they are made of). */
struct figures {
    double cable_mb_s, command_us, link_mb_s;
    /* spinning */
    double rpm, outside_mb_s, inside_mb_s, track_ms, settle_ms, root_ms, linear_ms, write_ms;
    double read_ahead_kib, held_kib, held_runs, cache_mib, cache_pieces;
    double band_mib, log_mib, log_pieces, log_batch;            /* shingled */
    double slow_from, slow_until, slow_turns, recovery_ms;      /* sick: shares of the disk, turns, ms */
    /* flash */
    double read_mb_s, read_us, read_command_us, write_mb_s, write_us, write_command_us;
    double fast_mib, folded_mb_s, folded_command_us, flush_us, kept_ms;
};

/* Written, and lost if the power goes now. */
struct extent { int64_t first, end, since; };

/* Read, and held in the disk's memory. */
struct held { int64_t first, end, used; };

struct zone { int64_t first; double per_track, first_track; };

struct spinning {
    double turn, change;                    /* a revolution; from a track to the next */
    struct zone zones[ZONES + 1];
    int64_t zone_sectors;
    double tracks;
    int64_t head;                           /* the sector before which the head came to rest */
    bool is_running;                        /* reading on by itself: from, since, up to */
    int64_t run_first, run_since, run_limit;
    int64_t follower, wanted;               /* a stream of reads is there; up to where the head should go on for it */
    struct request *taken;                  /* what the arm is busy with: a command, or (is_busy alone) writing back */
    bool is_busy;
    int64_t busy_until, busy_end;           /* and before which sector the head will be then */
    struct held held[MAX_HELD];
    struct extent dirty[MAX_DIRTY];        /* by place; they neither overlap nor touch */
    int dirty_count;
    int64_t dirty_sectors, leaving_sectors; /* the latter are being written back */
    int64_t quiet_since, idle_since;        /* when the last read came, and the last command */
    uint16_t *band_pieces;                  /* shingled: how many pieces of each band lie in the log */
    int64_t bands, band_sectors, next_band;
    int64_t log_pieces, log_sectors, log_head, direct_end;
};

struct flash {
    int64_t pipe_free;
    double fast_used;                       /* bytes in the fast part that haven't been folded yet */
};

struct link { char name[32]; double mb_s; int64_t free; };

struct drive {
    struct disk *disk;
    struct figures is;
    int64_t sectors;
    struct request *first;                  /* its commands, oldest first, by next_in_drive */
    int64_t next;                           /* when something happens */
    int64_t cable_free;
    struct link *link;
    struct undo *undo;
    union { struct spinning spinning; struct flash flash; };
};

/* drive.c */
void drive_finish(struct request *request, int64_t when);   /* it will be answered then */
/* When so many bytes are over that begin to come at ``from`` and have all come at ``until``. */
int64_t drive_cable(struct drive *drive, int64_t from, int64_t until, int64_t bytes);

/* geometry.c */
void geometry_begin(struct drive *drive);
double spinning_positioning(const struct drive *drive, int64_t from, int64_t now, int64_t to, bool is_write);
double spinning_passing(const struct spinning *it, int64_t first, int64_t end);
int64_t geometry_reached(const struct spinning *it, int64_t first, double passed); /* the sector, so long after the first */

/* cache.c */
bool cache_holds(const struct drive *drive, int64_t first, int64_t end);
void cache_hold(struct drive *drive, int64_t first, int64_t end, int64_t now);
bool cache_has_room(const struct drive *drive, int64_t first, int64_t end);
void cache_write(struct drive *drive, int64_t first, int64_t end, int64_t now);
void cache_overwrite(struct drive *drive, int64_t first, int64_t end); /* past the cache */
void cache_clean(struct drive *drive, int number, int64_t sectors);    /* an extent's beginning is on its way to the medium */

/* spinning.c, shingled.c, flash.c: ``…_advance`` does what is due at ``now`` and says when to be called again. */
void spinning_begin(struct drive *drive);
void spinning_stop(struct drive *drive);                     /* the power goes */
int64_t spinning_advance(struct drive *drive, int64_t now);
void spinning_busy(struct drive *drive, int64_t until, int64_t end);
int64_t spinning_head(struct drive *drive, int64_t now);
void shingled_begin(struct drive *drive);
bool shingled_write(struct drive *drive, int number, int64_t now); /* false: as on any disk, in its place */
bool shingled_tidy(struct drive *drive, int64_t now);              /* put a band in order; false when all are */
void flash_take(struct drive *drive, struct request *request, int64_t now);

/* undo.c: what lies under the bytes that a power cut would lose. */
void undo_keep(struct drive *drive, int64_t first, int64_t end, int64_t safe_at); /* NEVER: until it is forgotten */
void undo_forget(struct drive *drive, int64_t first, int64_t end);
void undo_expire(struct drive *drive, int64_t now);  /* what is safe by now; all of it with NEVER */
void undo_all(struct drive *drive);

#endif
