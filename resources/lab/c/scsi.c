/* The disks' side of SCSI: what a SATA disk behind Linux' libata answers (SPC-4, SBC-3), as far as Linux asks. */

#include "disks.h"

#include <errno.h>
#include <string.h>

enum { GOOD = 0, CHECK_CONDITION = 2 };
enum { NO_SENSE = 0, NOT_READY = 2, MEDIUM_ERROR = 3, ILLEGAL_REQUEST = 5 };
enum { /* additional sense, code and qualifier */
    START_NEEDED = 0x0402,
    WRITE_ERROR = 0x0c00,
    UNRECOVERED_READ = 0x1100,
    INVALID_OPERATION = 0x2000,
    OUT_OF_RANGE = 0x2100,
    INVALID_FIELD = 0x2400,
    IN_STANDBY_BY_TIMER = 0x5e02,
    IN_STANDBY_BY_COMMAND = 0x5e04,
};
enum {
    TEST_UNIT_READY = 0x00, REQUEST_SENSE = 0x03, READ_6 = 0x08, WRITE_6 = 0x0a, INQUIRY = 0x12, MODE_SENSE_6 = 0x1a,
    MODE_SELECT_6 = 0x15, START_STOP = 0x1b, READ_CAPACITY_10 = 0x25, READ_10 = 0x28, WRITE_10 = 0x2a, SYNCHRONIZE_CACHE_10 = 0x35,
    MODE_SELECT_10 = 0x55, MODE_SENSE_10 = 0x5a, READ_16 = 0x88, WRITE_16 = 0x8a, SYNCHRONIZE_CACHE_16 = 0x91, SERVICE_ACTION_IN = 0x9e,
    REPORT_LUNS = 0xa0, MAINTENANCE_IN = 0xa3, READ_12 = 0xa8, WRITE_12 = 0xaa,
};
enum { READ_CAPACITY_16 = 0x10, REPORT_OPERATIONS = 0x0c }; /* service actions */
enum { STANDARD_INQUIRY = -1, SLOW_MS = 4000, WRITE_CACHE = 0x04 };

static uint64_t get(const uint8_t *from, int bytes)
{
    uint64_t value = 0;
    while (bytes--)
        value = value << 8 | *from++;
    return value;
}

static void put(uint8_t *to, int bytes, uint64_t value)
{
    for (; bytes--; value >>= 8)
        to[bytes] = value;
}

static bool finish(struct request *request, int status)
{
    request->answer->response = RESPONSE_OK;
    request->answer->status = status;
    return true;
}

static bool refuse(struct request *request, int key, int additional)
{
    uint8_t *sense = request->answer->sense;
    memset(sense, 0, 18);
    sense[0] = 0x70; /* this command's, fixed format (SPC-4, 4.5.3) */
    sense[2] = key;
    sense[7] = 10;
    put(sense + 12, 2, additional);
    request->answer->sense_bytes = 18;
    request->answer->missing_bytes = request->data_bytes;
    return finish(request, CHECK_CONDITION);
}

/* Answer with as much of ``content`` as the command allows and its buffer holds. */
static bool give(struct request *request, const void *content, size_t bytes, size_t allowed)
{
    size_t given = 0;
    if (bytes > allowed)
        bytes = allowed;
    for (int piece = 0; piece < request->pieces && given < bytes; piece++) {
        size_t part = bytes - given < request->data[piece].iov_len ? bytes - given : request->data[piece].iov_len;
        memcpy(request->data[piece].iov_base, (const char *)content + given, part);
        given += part;
    }
    request->written_bytes = given;
    request->answer->missing_bytes = request->data_bytes - given;
    return finish(request, GOOD);
}

static bool inquiry(struct request *request)
{
    const uint8_t *cdb = request->cdb;
    int wanted = cdb[1] & 1 ? cdb[2] : STANDARD_INQUIRY;
    for (int number = 0; number < request->disk->page_count; number++) {
        struct page *page = &request->disk->pages[number];
        if (page->code == wanted)
            return give(request, page->content, page->bytes, get(cdb + 3, 2));
    }
    return refuse(request, ILLEGAL_REQUEST, INVALID_FIELD);
}

static bool mode_sense(struct request *request, int header_bytes, size_t allowed)
{
    uint8_t answer[28] = {0}, *page = answer + header_bytes;
    int wanted = request->cdb[2] & 0x3f, bytes = header_bytes;
    if (wanted == 0x08 || wanted == 0x3f) { /* caching (SBC-3, 6.5.5): a write cache, on */
        page[0] = 0x08;
        page[1] = 18;
        page[2] = request->cdb[2] >> 6 == 1 || !request->disk->is_cache_off ? WRITE_CACHE : 0; /* 1: what can be changed */
        bytes += 20;
    } else
        return refuse(request, ILLEGAL_REQUEST, INVALID_FIELD);
    header_bytes == 4 ? put(answer, 1, bytes - 1) : put(answer, 2, bytes - 2);
    return give(request, answer, bytes, allowed);
}

/* Linux sends the caching page alone, behind a header and no block descriptors (sd.c, cache_type_store). */
static bool mode_select(struct request *request, int header_bytes)
{
    const uint8_t *header = request->data[0].iov_base, *page = header + header_bytes;
    if (request->pieces < 1 || request->data[0].iov_len < header_bytes + 3 || header[header_bytes - 1]
        || (page[0] & 0x3f) != 0x08)
        return refuse(request, ILLEGAL_REQUEST, INVALID_FIELD);
    request->disk->is_cache_off = !(page[2] & WRITE_CACHE);
    return finish(request, GOOD);
}

static bool read_capacity_10(struct request *request)
{
    uint8_t answer[8];
    uint64_t last = request->disk->bytes / request->disk->sector_bytes - 1;
    put(answer, 4, last > 0xffffffff ? 0xffffffff : last); /* "ask for the long one" */
    put(answer + 4, 4, request->disk->sector_bytes);
    return give(request, answer, sizeof answer, sizeof answer);
}

static bool read_capacity_16(struct request *request)
{
    uint8_t answer[32] = {0};
    put(answer, 8, request->disk->bytes / request->disk->sector_bytes - 1);
    put(answer + 8, 4, request->disk->sector_bytes);
    answer[13] = request->disk->physical_exponent;
    return give(request, answer, sizeof answer, get(request->cdb + 10, 4));
}

static bool is_known(int operation)
{
    static const uint8_t known[] = {
        TEST_UNIT_READY, REQUEST_SENSE, READ_6, WRITE_6, INQUIRY, MODE_SENSE_6, START_STOP, READ_CAPACITY_10, READ_10,
        MODE_SELECT_6, MODE_SELECT_10,
        WRITE_10, SYNCHRONIZE_CACHE_10, MODE_SENSE_10, READ_16, WRITE_16, SYNCHRONIZE_CACHE_16, SERVICE_ACTION_IN,
        REPORT_LUNS, MAINTENANCE_IN, READ_12, WRITE_12,
    };
    return memchr(known, operation, sizeof known) != NULL;
}

/* Linux asks for WRITE SAME in this way, and does without it on disks that say no (sd.c, sd_read_write_same). */
static bool report_operations(struct request *request)
{
    uint8_t answer[4] = {0};
    if ((request->cdb[2] & 7) != 1) /* one operation, without service actions */
        return refuse(request, ILLEGAL_REQUEST, INVALID_FIELD);
    answer[1] = is_known(request->cdb[3]) ? 3 : 1;
    return give(request, answer, sizeof answer, get(request->cdb + 6, 4));
}

static bool unreadable(struct request *request, uint64_t sector)
{
    refuse(request, MEDIUM_ERROR, UNRECOVERED_READ);
    request->answer->sense[0] |= 0x80; /* the information says where */
    put(request->answer->sense + 3, 4, sector > 0xffffffff ? 0xffffffff : sector);
    return true;
}

static void spin_up(struct disk *disk)
{
    disk->spin_ups += disk->power != AWAKE;
    disk->power = AWAKE;
}

/* START STOP UNIT, by its power condition, else by its START bit (SBC-3, 5.20) */
static bool start_or_stop(struct request *request)
{
    enum { ACTIVE = 1, STANDBY = 3 };
    struct disk *disk = request->disk;
    int condition = request->cdb[4] >> 4;
    if (condition == STANDBY)
        disk->power = STANDBY_BY_COMMAND;
    else if (condition == ACTIVE || (condition == 0 && request->cdb[4] & 1))
        spin_up(disk);
    else if (condition == 0)
        disk->power = STOPPED;
    return finish(request, GOOD);
}

static bool request_sense(struct request *request)
{
    static const int additional[] = {[STANDBY_BY_TIMER] = IN_STANDBY_BY_TIMER, [STANDBY_BY_COMMAND] = IN_STANDBY_BY_COMMAND,
                                     [STOPPED] = START_NEEDED};
    uint8_t sense[18] = {0x70, 0, request->disk->power == STOPPED ? NOT_READY : NO_SENSE, 0, 0, 0, 0, 10};
    put(sense + 12, 2, additional[request->disk->power]);
    return give(request, sense, sizeof sense, request->cdb[4]);
}

static bool transfer(struct request *request, bool is_write, uint64_t first, uint64_t sectors)
{
    struct disk *disk = request->disk;
    uint64_t all = disk->bytes / disk->sector_bytes;
    if (first > all || sectors > all - first)
        return refuse(request, ILLEGAL_REQUEST, OUT_OF_RANGE);
    if (sectors * disk->sector_bytes != request->data_bytes)
        return refuse(request, ILLEGAL_REQUEST, INVALID_FIELD);
    if (disk->fault == HANGING)
        return false;
    if (disk->power == STOPPED)
        return refuse(request, NOT_READY, START_NEEDED);
    spin_up(disk);
    if (disk->fault == ERRORS)
        return refuse(request, MEDIUM_ERROR, is_write ? WRITE_ERROR : UNRECOVERED_READ);
    if (disk->fault == SLOW_WRITES && is_write) {
        if (!request->is_slowed)
            request->due_ms = now_ms() + SLOW_MS;
        request->is_slowed = true;
        if (now_ms() < request->due_ms)
            return false;
    }
    uint64_t byte = first * disk->sector_bytes;
    if (disk->drive && !drive_try(request, is_write ? WRITING : READING, byte, request->data_bytes))
        return false;
    if (disk->spot_count && !is_write && spot_in(disk, byte, byte + request->data_bytes) >= 0)
        return unreadable(request, spot_in(disk, byte, byte + request->data_bytes) / disk->sector_bytes);
    bool done = (is_write ? store_write : store_read)(disk, byte, request->data, request->pieces);
    request->wants_room = !done && is_write && (errno == ENOSPC || errno == EDQUOT);
    if (request->wants_room)
        return false;
    if (!done)
        return refuse(request, MEDIUM_ERROR, is_write ? WRITE_ERROR : UNRECOVERED_READ);
    if (disk->spot_count && is_write)
        spot_heal(disk, byte, byte + request->data_bytes);
    request->written_bytes = is_write ? 0 : request->data_bytes;
    return finish(request, GOOD);
}

static bool synchronize(struct request *request)
{
    if (request->disk->fault == HANGING)
        return false;
    /* without a kind, what was written is in the host's memory, which outlives the guest */
    return request->disk->drive && !drive_try(request, FLUSHING, 0, 0) ? false : finish(request, GOOD);
}

bool scsi_try(struct request *request)
{
    static const uint8_t one_lun[16] = {0, 0, 0, 8};
    const uint8_t *cdb = request->cdb;
    if (!request->disk || !request->disk->is_plugged_in) {
        if (request->disk && request->disk->drive)
            drive_drop(request);
        request->answer->response = RESPONSE_BAD_TARGET;
        return true;
    }
    switch (cdb[0]) {
    case TEST_UNIT_READY:
    case START_STOP:
        if (request->disk->fault == HANGING)
            return false;
        if (cdb[0] == START_STOP)
            return start_or_stop(request);
        return request->disk->power == STOPPED ? refuse(request, NOT_READY, START_NEEDED) : finish(request, GOOD);
    case SYNCHRONIZE_CACHE_10:
    case SYNCHRONIZE_CACHE_16:
        return synchronize(request);
    case REQUEST_SENSE:
        return request_sense(request);
    case INQUIRY:
        return inquiry(request);
    case REPORT_LUNS:
        return give(request, one_lun, sizeof one_lun, get(cdb + 6, 4));
    case MODE_SELECT_6:
        return mode_select(request, 4);
    case MODE_SELECT_10:
        return mode_select(request, 8);
    case MODE_SENSE_6:
        return mode_sense(request, 4, cdb[4]);
    case MODE_SENSE_10:
        return mode_sense(request, 8, get(cdb + 7, 2));
    case READ_CAPACITY_10:
        return read_capacity_10(request);
    case SERVICE_ACTION_IN:
        if ((cdb[1] & 0x1f) == READ_CAPACITY_16)
            return read_capacity_16(request);
        break;
    case MAINTENANCE_IN:
        if ((cdb[1] & 0x1f) == REPORT_OPERATIONS)
            return report_operations(request);
        break;
    case READ_6:
    case WRITE_6:
        return transfer(request, cdb[0] == WRITE_6, get(cdb + 1, 3) & 0x1fffff, cdb[4] ? cdb[4] : 256);
    case READ_10:
    case WRITE_10:
        return transfer(request, cdb[0] == WRITE_10, get(cdb + 2, 4), get(cdb + 7, 2));
    case READ_12:
    case WRITE_12:
        return transfer(request, cdb[0] == WRITE_12, get(cdb + 2, 4), get(cdb + 6, 4));
    case READ_16:
    case WRITE_16:
        return transfer(request, cdb[0] == WRITE_16, get(cdb + 2, 8), get(cdb + 10, 4));
    }
    return refuse(request, ILLEGAL_REQUEST, INVALID_OPERATION);
}
