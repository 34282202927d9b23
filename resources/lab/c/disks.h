/* The practice machine's disks: what the parts of the process that serves them know of each other. */

#ifndef DISKS_H
#define DISKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

enum { MAX_TARGETS = 64, MAX_PIECES = 256, MAX_SEGMENTS = 32, MAX_PAGES = 8, MAX_SPOTS = 256 };

/* What becomes of a disk's reads and writes. */
enum fault { SOUND, ERRORS, SLOW_WRITES, HANGING };

/* A disk's power: standby ends with the next access to its medium, stopped with a command alone (SBC-3, 4.20). */
enum power { AWAKE, STANDBY_BY_TIMER, STANDBY_BY_COMMAND, STOPPED };

/* What an INQUIRY answers: the standard data (page -1) or one of the vital product data's pages. */
struct page {
    int code;
    size_t bytes;
    uint8_t content[252];
};

/* Bytes that can't be read. */
struct spot { uint64_t first, end; };

struct disk {
    char serial[64];
    uint64_t bytes;
    uint32_t sector_bytes;          /* logical */
    uint8_t physical_exponent;      /* physical sector = logical << this */
    struct page pages[MAX_PAGES];
    int page_count;
    bool is_plugged_in;
    enum fault fault;
    enum power power;
    unsigned spin_ups;              /* since it was added */
    struct drive *drive;            /* its timing; NULL for a disk as fast as the host's memory */
    bool is_cache_off;              /* of writes */
    struct spot spots[MAX_SPOTS];
    int spot_count;
    int segments[MAX_SEGMENTS];    /* the store's files, -1 for those that nothing was written to yet */
};

/* What a command is to the timing of a disk, and how far it is there. */
enum work { READING, WRITING, FLUSHING };
enum stage { UNSEEN, QUEUED, TAKEN, FINISHING, FINISHED };

/* A SCSI command on its way, from the ring that it came by until it is answered. */
struct request {
    struct request *next;           /* of those that wait */
    void *ring;
    uint16_t head;                  /* its first descriptor, by which the guest knows it again */
    struct disk *disk;
    const uint8_t *cdb;
    struct answer *answer;
    struct request *next_in_drive;
    enum work work;
    enum stage stage;
    int64_t first, end;             /* sectors of 512 bytes */
    int64_t arrived, at;            /* when it came, when its data is there or its answer due: machine's ns */
    struct iovec data[MAX_PIECES]; /* in the guest's memory */
    int pieces;
    size_t data_bytes;
    size_t written_bytes;           /* of data and answer, into the guest's memory */
    bool is_slowed;
    bool wants_room;
    int64_t due_ms;
};

/* struct virtio_scsi_cmd_resp of linux/virtio_scsi.h */
struct answer {
    uint32_t sense_bytes;
    uint32_t missing_bytes;
    uint16_t status_qualifier;
    uint8_t status;
    uint8_t response;
    uint8_t sense[96];
};

enum { RESPONSE_OK = 0, RESPONSE_BAD_TARGET = 3, RESPONSE_REJECTED = 11 }; /* VIRTIO_SCSI_S_… */
enum { EVENT_PLUGGED_IN = 1, EVENT_PULLED = 2 };                           /* VIRTIO_SCSI_EVT_RESET_… */

/* disks.c */
extern struct disk *targets[MAX_TARGETS];
int64_t now_ms(void);

/* scsi.c: true when the command is answered, false when it has to wait and be tried again. */
bool scsi_try(struct request *request);

/* store.c; both are false when they fail, with errno: ENOSPC means that there is no room now. */
struct store_state {
    uint64_t used_bytes;
    uint64_t room_bytes;            /* that may still be taken before writes wait */
};
void store_begin(const char *folder, uint64_t reserve_bytes);
void store_limit(uint64_t bytes);   /* 0 for none */
void store_add(struct disk *disk);
bool store_read(struct disk *disk, uint64_t offset, struct iovec *pieces, int count);
bool store_write(struct disk *disk, uint64_t offset, struct iovec *pieces, int count);
struct store_state store_look(void);

/* spots.c: bytes that can't be read until they are written anew */
bool spot_add(struct disk *disk, uint64_t first_byte, uint64_t end_byte);
int64_t spot_in(const struct disk *disk, uint64_t first_byte, uint64_t end_byte); /* the first such byte, or -1 */
void spot_heal(struct disk *disk, uint64_t first_byte, uint64_t end_byte);

/* drive.c: the timing of disks of a kind; all times are the machine's nanoseconds */
void drives_begin(double machine_seconds_a_second);
bool drives_are_there(void);                     /* else none of this need be asked: disks without a kind lose no time */
int64_t drives_now(void);
double drives_host_ns(int64_t machine_ns);
bool drive_figure(struct disk *disk, const char *word);
void drive_begin(struct disk *disk);
bool drive_try(struct request *request, enum work work, uint64_t first_byte, uint64_t bytes); /* true when it is over */
void drive_drop(struct request *request);        /* it will be forgotten: the disk is gone */
void drive_cut_power(struct disk *disk);         /* what isn't on the medium is lost */
int64_t drives_run(int64_t now);                 /* do all that is due; when the next thing is, or INT64_MAX */
bool drives_have_finished(void);                 /* whether a command was finished since this was asked last */

/* vhost.c */
void vhost_begin(int listener, int epoll, const uint64_t *zero_pages, int count); /* for the guest's writes of zeros */
void vhost_ready(int fd);                        /* something has happened on ``fd`` */
void vhost_event(int target, unsigned reason);   /* tell the guest that a disk has come or gone */
void vhost_retry(void);                          /* try again what waits */
int vhost_waiting(bool for_room);                /* how many wait (for room) */

#endif
