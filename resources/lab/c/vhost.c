/* A virtio SCSI host adapter over vhost-user: the guest's kernel (arch/um/drivers/virtio_uml.c) hands over its memory
 * and its rings; commands are taken from there, and their data goes between that memory and the store without a copy.
 *
 * Layouts: linux/virtio_ring.h, linux/virtio_scsi.h, QEMU's docs/interop/vhost-user.rst. All little-endian, as every
 * machine is that has this kernel. */

#define _GNU_SOURCE
#include "disks.h"

#include <errno.h>
#include <string.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    GET_FEATURES = 1, SET_FEATURES = 2, SET_MEM_TABLE = 5, SET_VRING_NUM = 8, SET_VRING_ADDR = 9, SET_VRING_BASE = 10,
    GET_VRING_BASE = 11, SET_VRING_KICK = 12, SET_VRING_CALL = 13, GET_PROTOCOL_FEATURES = 15,
    SET_BACKEND_REQUEST_FD = 21, GET_CONFIG = 24,
};
enum { FLAG_VERSION = 1, FLAG_REPLY = 4 };
enum { HEADER_BYTES = 12, MAX_FDS = 8, MAX_REGIONS = 8, NO_FD = 0x100, ZERO_PAGE_BYTES = 4096 };

static const uint64_t SCSI_HOTPLUG = 1 << 1, RING_INDIRECT = 1 << 28, RING_EVENT = 1 << 29, PROTOCOL = 1 << 30,
                      VERSION_1 = 1ull << 32;
static const uint64_t PROTOCOL_BACKEND_REQUEST = 1 << 5, PROTOCOL_CONFIG = 1 << 9;

struct message { /* on its way, without the padding after the first three */
    uint32_t kind, flags, bytes;
    union {
        uint64_t number;
        struct { uint32_t index, value; } ring;
        struct { uint32_t index, flags; uint64_t descriptors, used, available, log; } address;
        struct { uint32_t count, padding; struct { uint64_t guest, bytes, user, offset; } region[MAX_REGIONS]; } memory;
        struct { uint32_t offset, bytes, flags; uint8_t content[256]; } config;
        uint8_t any[512];
    };
};

/* struct virtio_scsi_config. 254 pieces and two headers are what a ring of 256 can hold at once. So many commands a disk
 * are what NVMe gets; the guest gives all others 31 (61-raidwright-lab.rules), as SATA's queue has. */
static const struct {
    uint32_t queues, most_pieces, most_sectors, commands_per_disk, event_bytes, sense_bytes, cdb_bytes;
    uint16_t last_channel, last_target;
    uint32_t last_lun;
} config = {1, 254, 65535, 128, 16, 96, 32, 0, MAX_TARGETS - 1, 0};

enum { CONTROL, EVENTS, COMMANDS, RINGS };

struct descriptor { uint64_t address; uint32_t bytes; uint16_t flags, next; };
enum { HAS_NEXT = 1, TO_BE_WRITTEN = 2, IS_TABLE = 4 };

struct ring {
    uint32_t size;
    struct descriptor *descriptors;
    volatile uint16_t *available;  /* flags, index, then size heads, then the index at which the guest wants a call */
    volatile uint16_t *used;       /* flags, index, then size pairs of 32 bits, then the index at which we want a kick */
    uint16_t taken, told;          /* of the available; of the used, at the last call */
    int kick, call;
};

static struct { uint64_t guest, bytes; char *here; } regions[MAX_REGIONS];
static const uint64_t *zero_pages; /* addresses in the guest's kernel of pages of zeros that it reads and doesn't share */
static int zero_page_count;
static const char zeros[ZERO_PAGE_BYTES];
static struct ring rings[RINGS];
static int listener, guest = -1, requests = -1, epoll;
static bool says_when; /* RING_EVENT was agreed on */

static struct request *waiting, *spare;

struct event { uint32_t kind; uint8_t lun[8]; uint32_t reason; };
static struct event events[4 * MAX_TARGETS]; /* that the guest has no buffer for yet */
static int event_count;

static void barrier(void) { __asm__ volatile("lock; addl $0, (%%rsp)" ::: "memory"); }

static void watch(int fd)
{
    struct epoll_event wanted = {.events = EPOLLIN, .data.fd = fd};
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &wanted);
}

void vhost_begin(int socket, int watcher, const uint64_t *pages_of_zeros, int count)
{
    listener = socket;
    zero_pages = pages_of_zeros;
    zero_page_count = count;
    epoll = watcher;
    for (int number = 0; number < RINGS; number++)
        rings[number].kick = rings[number].call = -1;
    watch(listener);
}

static void *give_up(const char *why)
{
    fprintf(stderr, "disks: %s\n", why);
    exit(1);
    return NULL;
}

/* The guest's memory from ``address`` on; the program ends rather than touch what it wasn't given. */
static void *memory(uint64_t address, uint64_t bytes)
{
    for (int number = 0; number < MAX_REGIONS; number++)
        if (address - regions[number].guest < regions[number].bytes
            && bytes <= regions[number].bytes - (address - regions[number].guest))
            return regions[number].here + (address - regions[number].guest);
    return give_up("the guest names memory that it hasn't shared");
}

/* ---- what waits, what is done ---- */

static void call(struct ring *ring)
{
    uint16_t now = ring->used[1], wanted;
    barrier();
    wanted = ring->available[2 + ring->size];
    bool is_wanted = says_when ? (uint16_t)(now - wanted - 1) < (uint16_t)(now - ring->told) : !(ring->available[0] & 1);
    ring->told = now;
    uint64_t one = 1;
    if (is_wanted && ring->call >= 0 && write(ring->call, &one, sizeof one) < 0 && errno != EAGAIN)
        perror("disks: call"); /* EAGAIN: a pipe full of calls is a call */
}

static void use(struct ring *ring, uint16_t head, uint32_t written_bytes)
{
    volatile uint32_t *pair = (volatile uint32_t *)(ring->used + 2) + 2 * (ring->used[1] % ring->size);
    pair[0] = head;
    pair[1] = written_bytes;
    barrier();
    ring->used[1]++;
}

static void give_back(struct request *request)
{
    request->next = spare;
    spare = request;
}

static void answered(struct request *request)
{
    use(request->ring, request->head, sizeof(struct answer) + request->written_bytes);
    give_back(request);
}

void vhost_retry(void)
{
    struct request **place = &waiting;
    while (*place) {
        struct request *request = *place;
        if (scsi_try(request)) {
            *place = request->next;
            answered(request);
        } else
            place = &request->next;
    }
    if (rings[COMMANDS].available)
        call(&rings[COMMANDS]);
}

int vhost_waiting(bool for_room)
{
    int count = 0;
    for (struct request *request = waiting; request; request = request->next)
        count += !for_room || request->wants_room;
    return count;
}

/* ---- rings ---- */

/* What the guest lets us read: its memory, or zeros of its kernel. */
static void *readable(uint64_t address, uint64_t bytes)
{
    for (int number = 0; number < zero_page_count; number++)
        if (address - zero_pages[number] < ZERO_PAGE_BYTES && bytes <= ZERO_PAGE_BYTES - (address - zero_pages[number]))
            return (void *)zeros;
    return memory(address, bytes);
}

/* A chain's pieces, those that we read before those that we write; how many, and how many of the first kind. */
static int chain(struct ring *ring, uint16_t head, struct iovec *pieces, int *to_read)
{
    struct descriptor *table = ring->descriptors, *at = table + head;
    uint32_t size = ring->size, count = 0;
    if (at->flags & IS_TABLE) {
        size = at->bytes / sizeof *at;
        at = table = memory(at->address, at->bytes);
    }
    *to_read = 0;
    for (;; at = table + at->next) {
        pieces[count].iov_base = (at->flags & TO_BE_WRITTEN ? memory : readable)(at->address, at->bytes);
        pieces[count++].iov_len = at->bytes;
        *to_read += !(at->flags & TO_BE_WRITTEN);
        if (!(at->flags & HAS_NEXT))
            return count;
        if (count == MAX_PIECES + 2 || at->next >= size)
            give_up("the guest's ring makes no sense");
    }
}

/* struct virtio_scsi_cmd_req: where to (8 bytes: 1, target, LUN), a tag (8), 3 more, then the command's descriptor block */
static void command(struct ring *ring, uint16_t head)
{
    struct iovec pieces[MAX_PIECES + 2];
    int to_read, count = chain(ring, head, pieces, &to_read);
    struct request *request = spare;
    if (request)
        spare = request->next;
    else
        request = malloc(sizeof *request);
    if (!request || to_read == 0 || count == to_read || pieces[0].iov_len < 51
        || pieces[to_read].iov_len < sizeof(struct answer))
        give_up("a command of the guest makes no sense");
    const uint8_t *to = pieces[0].iov_base;
    int lun = (to[2] & 0x3f) << 8 | to[3];
    memset(request, 0, offsetof(struct request, data));
    request->ring = ring;
    request->head = head;
    request->disk = to[0] == 1 && to[1] < MAX_TARGETS && lun == 0 ? targets[to[1]] : NULL;
    request->cdb = to + 19;
    request->answer = pieces[to_read].iov_base;
    memset(request->answer, 0, offsetof(struct answer, sense));
    bool is_write = to_read > 1;
    request->pieces = is_write ? to_read - 1 : count - to_read - 1;
    memcpy(request->data, is_write ? pieces + 1 : pieces + to_read + 1, request->pieces * sizeof *pieces);
    request->data_bytes = request->written_bytes = request->due_ms = 0;
    request->is_slowed = request->wants_room = false;
    for (int number = 0; number < request->pieces; number++)
        request->data_bytes += request->data[number].iov_len;
    if (scsi_try(request))
        answered(request);
    else {
        struct request **last = &waiting;
        while (*last)
            last = &(*last)->next;
        request->next = NULL;
        *last = request;
    }
}

/* Aborting and resetting are refused: what waits will be answered, and the guest waits for it (virtscsi_eh_timed_out). */
static void refuse_control(struct ring *ring, uint16_t head)
{
    struct iovec pieces[MAX_PIECES + 2];
    int to_read, count = chain(ring, head, pieces, &to_read);
    if (to_read < count && pieces[count - 1].iov_len) {
        uint8_t *response = pieces[count - 1].iov_base;
        response[pieces[count - 1].iov_len - 1] = RESPONSE_REJECTED; /* the last byte of both kinds of answer */
    }
    use(ring, head, 1);
}

static void send_events(void)
{
    struct ring *ring = &rings[EVENTS];
    int sent = 0;
    while (sent < event_count && ring->available && ring->taken != ring->available[1]) {
        struct iovec pieces[MAX_PIECES + 2];
        int to_read;
        uint16_t head = ring->available[2 + ring->taken++ % ring->size];
        chain(ring, head, pieces, &to_read);
        memcpy(pieces[0].iov_base, &events[sent++], sizeof *events);
        use(ring, head, sizeof *events);
    }
    event_count -= sent;
    memmove(events, events + sent, event_count * sizeof *events);
    if (sent)
        call(ring);
}

void vhost_event(int target, unsigned reason)
{
    if (!rings[EVENTS].available || event_count == sizeof events / sizeof *events)
        return; /* the guest hasn't looked yet, and will see for itself */
    struct event event = {1, {1, target}, reason}; /* VIRTIO_SCSI_T_TRANSPORT_RESET */
    events[event_count++] = event;
    send_events();
}

static void serve(struct ring *ring)
{
    void (*take)(struct ring *, uint16_t) = ring == &rings[COMMANDS] ? command : refuse_control;
    for (;;) {
        while (ring->taken != ring->available[1]) {
            barrier();
            take(ring, ring->available[2 + ring->taken++ % ring->size]);
            call(ring);
        }
        ring->used[2 + 4 * ring->size] = ring->taken; /* a kick when there is one more */
        barrier();
        if (ring->taken == ring->available[1])
            return;
    }
}

/* ---- messages ---- */

static void set_memory(struct message *message, const int *fds)
{
    for (int number = 0; number < MAX_REGIONS; number++) {
        bool is_given = number < (int)message->memory.count;
        regions[number].guest = is_given ? message->memory.region[number].guest : 0;
        regions[number].bytes = is_given ? message->memory.region[number].bytes : 0;
        if (!is_given)
            continue;
        uint64_t offset = message->memory.region[number].offset;
        char *here = mmap(NULL, regions[number].bytes + offset, PROT_READ | PROT_WRITE, MAP_SHARED, fds[number], 0);
        if (here == MAP_FAILED)
            give_up("the guest's memory can't be mapped");
        regions[number].here = here + offset;
    }
}

static void replace(int *place, int fd)
{
    if (*place >= 0)
        close(*place);
    *place = fd;
}

static void reply(struct message *message, uint32_t bytes)
{
    message->flags = FLAG_VERSION | FLAG_REPLY;
    message->bytes = bytes;
    struct iovec parts[] = {{message, HEADER_BYTES}, {message->any, bytes}};
    if (writev(guest, parts, 2) < 0)
        perror("disks: reply");
}

static void obey(struct message *message, int *fds)
{
    struct ring *ring = rings + (message->ring.index & 0xff) % RINGS;
    switch (message->kind) {
    case GET_FEATURES:
        message->number = SCSI_HOTPLUG | RING_INDIRECT | RING_EVENT | PROTOCOL | VERSION_1;
        reply(message, sizeof message->number);
        break;
    case SET_FEATURES:
        says_when = message->number & RING_EVENT;
        break;
    case GET_PROTOCOL_FEATURES:
        message->number = PROTOCOL_BACKEND_REQUEST | PROTOCOL_CONFIG;
        reply(message, sizeof message->number);
        break;
    case GET_CONFIG:
        memcpy(message->config.content, &config, sizeof config);
        reply(message, message->bytes);
        break;
    case SET_BACKEND_REQUEST_FD: /* nothing is requested there; were it closed, the guest would take us for dead */
        replace(&requests, fds[0]);
        fds[0] = -1;
        break;
    case SET_MEM_TABLE:
        set_memory(message, fds);
        break;
    case SET_VRING_NUM:
        ring->size = message->ring.value;
        break;
    case SET_VRING_BASE:
        ring->taken = ring->told = message->ring.value;
        break;
    case GET_VRING_BASE:
        message->ring.value = ring->taken;
        reply(message, sizeof message->ring);
        break;
    case SET_VRING_ADDR:
        ring->descriptors = memory(message->address.descriptors, ring->size * sizeof(struct descriptor));
        ring->available = memory(message->address.available, 6 + 2 * ring->size);
        ring->used = memory(message->address.used, 6 + 8 * ring->size);
        break;
    case SET_VRING_CALL:
        replace(&ring->call, message->number & NO_FD ? -1 : fds[0]);
        fds[0] = -1;
        break;
    case SET_VRING_KICK:
        replace(&ring->kick, message->number & NO_FD ? -1 : fds[0]);
        fds[0] = -1;
        if (ring->kick >= 0)
            watch(ring->kick);
        break;
    }
}

static bool receive(struct message *message, int *fds)
{
    char room[CMSG_SPACE(MAX_FDS * sizeof(int))];
    struct iovec header = {message, HEADER_BYTES};
    struct msghdr parts = {.msg_iov = &header, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    if (recvmsg(guest, &parts, MSG_CMSG_CLOEXEC | MSG_WAITALL) != HEADER_BYTES)
        return false;
    struct cmsghdr *passed = CMSG_FIRSTHDR(&parts);
    if (passed && passed->cmsg_type == SCM_RIGHTS)
        memcpy(fds, CMSG_DATA(passed), passed->cmsg_len - CMSG_LEN(0));
    if (message->bytes > sizeof message->any)
        return false;
    return !message->bytes || recv(guest, message->any, message->bytes, MSG_WAITALL) == message->bytes;
}

void vhost_ready(int fd)
{
    if (fd == listener) {
        replace(&guest, accept(listener, NULL, NULL));
        watch(guest);
    } else if (fd == guest) {
        struct message message;
        int fds[MAX_FDS] = {-1, -1, -1, -1, -1, -1, -1, -1};
        if (!receive(&message, fds))
            exit(0); /* the guest has ended */
        obey(&message, fds);
        for (int number = 0; number < MAX_FDS; number++)
            if (fds[number] >= 0)
                close(fds[number]);
    } else
        for (struct ring *ring = rings; ring < rings + RINGS; ring++)
            if (ring->kick == fd) {
                uint64_t kicks;
                if (read(fd, &kicks, sizeof kicks) > 0)
                    ring == &rings[EVENTS] ? send_events() : serve(ring);
            }
}
