/* One practice disk's answers to SCSI commands, without a guest: standard input has a command a line, in hexadecimal, or
 * “sleep”. Each is answered by status, sense key, additional sense code and qualifier (REQUEST SENSE's from its data),
 * the spin-ups so far, and 1 while the disk sleeps. */

#include "disks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct disk *targets[MAX_TARGETS];

int64_t now_ms(void) { return 0; }
bool store_read(struct disk *disk, uint64_t offset, struct iovec *pieces, int count) { return true; }
bool store_write(struct disk *disk, uint64_t offset, struct iovec *pieces, int count) { return true; }
bool drive_try(struct request *request, enum work work, uint64_t first_byte, uint64_t bytes) { return true; }
void drive_drop(struct request *request) {}
int64_t spot_in(const struct disk *disk, uint64_t first_byte, uint64_t end_byte) { return -1; }
void spot_heal(struct disk *disk, uint64_t first_byte, uint64_t end_byte) {}

static void answer(struct disk *disk, const char *line)
{
    static uint8_t data[4096], cdb[16];
    static struct answer told;
    static struct request request;
    memset(&request, 0, sizeof request);
    memset(&told, 0, sizeof told);
    memset(data, 0, sizeof data);
    for (size_t at = 0; at < sizeof cdb && sscanf(line + 2 * at, "%2hhx", cdb + at) == 1; at++)
        ;
    request = (struct request){.disk = disk, .cdb = cdb, .answer = &told, .data = {{data, sizeof data}}, .pieces = 1,
                               .data_bytes = cdb[0] == 0x28 || cdb[0] == 0x2a ? disk->sector_bytes : sizeof data};
    scsi_try(&request);
    const uint8_t *sense = told.status ? told.sense : data;
    printf("%d %x %02x %02x %u %d\n", told.status, sense[2] & 15, sense[12], sense[13], disk->spin_ups,
           disk->power != AWAKE);
}

int main(void)
{
    static struct disk disk = {.bytes = 1 << 20, .sector_bytes = 512, .is_plugged_in = true};
    char line[256];
    while (fgets(line, sizeof line, stdin))
        if (strncmp(line, "sleep", 5) == 0)
            disk.power = STANDBY_BY_TIMER;
        else
            answer(&disk, line);
    return 0;
}
