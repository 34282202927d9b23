/* The practice machine's disks: what the parts of the process that serves them know of each other. */

#ifndef DISKS_H
#define DISKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

enum { MOST_TARGETS = 64, MOST_PIECES = 256, MOST_SEGMENTS = 32, MOST_PAGES = 8 };

/* What becomes of a disk's reads and writes. */
enum fault { SOUND, ERRORS, SLOW_WRITES, HANGING };

/* What an INQUIRY answers: the standard data (page -1) or one of the vital product data's pages. */
struct page {
    int code;
    size_t bytes;
    uint8_t content[252];
};

struct disk {
    char serial[64];
    uint64_t bytes;
    uint32_t sector_bytes;          /* logical */
    uint8_t physical_exponent;      /* physical sector = logical << this */
    struct page pages[MOST_PAGES];
    int page_count;
    bool is_plugged_in;
    enum fault fault;
    int segments[MOST_SEGMENTS];    /* the store's files, -1 for those that nothing was written to yet */
};

/* A SCSI command on its way, from the ring that it came by until it is answered. */
struct request {
    struct request *next;           /* of those that wait */
    void *ring;
    uint16_t head;                  /* its first descriptor, by which the guest knows it again */
    struct disk *disk;
    const uint8_t *cdb;
    struct answer *answer;
    struct iovec data[MOST_PIECES]; /* in the guest's memory */
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
extern struct disk *targets[MOST_TARGETS];
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

/* vhost.c */
void vhost_begin(int listener, int epoll);
void vhost_ready(int fd);                        /* something has happened on ``fd`` */
void vhost_event(int target, unsigned reason);   /* tell the guest that a disk has come or gone */
void vhost_retry(void);                          /* try again what waits */
int vhost_waiting(bool for_room);                /* how many wait (for room) */

#endif
