/* disks FOLDER RESERVE_BYTES LISTENER PACE: every disk of a practice machine, served to its kernel as one SCSI host adapter.
 *
 * LISTENER is the number of the open socket at which the guest's kernel will call, PACE how many of its seconds pass in
 * one of ours. Standard input is the life line and
 * takes orders, a line each with words between tabs; each is answered on standard output by "ok" or what went wrong:
 *
 *   add TARGET SERIAL BYTES SECTOR_BYTES PHYSICAL_EXPONENT PAGE=HEX… FIGURE=VALUE…
 *                                     a disk is plugged in; what INQUIRY answers; its timing (drive.c), if it has any
 *   pull TARGET | plug TARGET         as a cable would be; the disk's bytes stay
 *   cut TARGET                        as its power would be: what its cache holds is lost, too
 *   spoil TARGET FIRST_BYTE END_BYTE  can't be read from now on, until it is written
 *   fault TARGET sound|errors|slow|hanging
 *   limit BYTES                       of the store, beyond which writes wait; 0 for the file system's end alone
 *   store                             "ok USED ROOM HELD": bytes, bytes, and how many writes wait for room
 *
 * C rather than Python: walking the 254 descriptors of a 1 MiB command takes Python 150 µs, as long as the whole command
 * takes here with the host's copying in it (195 µs; 18 for one of 4 KiB, of which 16 are system calls). One thread, since
 * the guest has one processor. When this process ends, the power of all its disks is cut. */

#define _GNU_SOURCE
#include "disks.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { ORDERS = 0, RETRY_MS = 100, MAX_WORDS = 64 };
static const double AWAKE_NS = 60000; /* before an event: sleep ends that late */
static const int64_t NEXT_NS = 10000; /* of the machine's time: the next command comes that soon after an answer, or late */

struct disk *targets[MAX_TARGETS];

int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

static bool read_page(struct disk *disk, const char *word)
{
    struct page *page = &disk->pages[disk->page_count];
    const char *digits = strchr(word, '=');
    if (disk->page_count == MAX_PAGES || !digits || strlen(++digits) / 2 > sizeof page->content)
        return false;
    page->code = strtol(word, NULL, 10);
    for (unsigned byte; sscanf(digits, "%2x", &byte) == 1; digits += 2)
        page->content[page->bytes++] = byte;
    disk->page_count++;
    return true;
}

static const char *add(int target, char **words, int count)
{
    struct disk *disk = calloc(1, sizeof *disk);
    if (targets[target])
        return "there is a disk at that target";
    if (!disk || count < 6 || strlen(words[2]) >= sizeof disk->serial)
        return "that isn't a disk";
    strcpy(disk->serial, words[2]);
    disk->bytes = strtoull(words[3], NULL, 10);
    disk->sector_bytes = strtoul(words[4], NULL, 10);
    disk->physical_exponent = strtoul(words[5], NULL, 10);
    for (int number = 6; number < count; number++)
        if (!(strchr("-0123456789", words[number][0]) ? read_page : drive_figure)(disk, words[number]))
            return "that is neither a page nor a figure";
    if (!disk->sector_bytes || disk->bytes / disk->sector_bytes == 0 || disk->bytes > (uint64_t)MAX_SEGMENTS << 40)
        return "that isn't a size";
    store_add(disk);
    if (disk->drive)
        drive_begin(disk);
    targets[target] = disk;
    return NULL;
}

static void plug(int target, bool is_plugged_in)
{
    targets[target]->is_plugged_in = is_plugged_in;
    vhost_retry(); /* what waits for a disk that is gone has failed */
    vhost_event(target, is_plugged_in ? EVENT_PLUGGED_IN : EVENT_PULLED);
}

static const char *set_fault(struct disk *disk, const char *name)
{
    static const char *const names[] = {"sound", "errors", "slow", "hanging"};
    for (int fault = SOUND; fault <= HANGING; fault++)
        if (strcmp(names[fault], name) == 0) {
            disk->fault = fault;
            vhost_retry();
            return NULL;
        }
    return "there is no such fault";
}

/* Do what the words say; what went wrong, or NULL. */
static const char *obey(char **words, int count)
{
    int target = count > 1 ? atoi(words[1]) : -1;
    bool is_target = target >= 0 && target < MAX_TARGETS;
    if (strcmp(words[0], "limit") == 0 && count == 2) {
        store_limit(strtoull(words[1], NULL, 10));
        vhost_retry();
        return NULL;
    }
    if (!is_target)
        return "there is no such target";
    if (strcmp(words[0], "add") == 0) {
        const char *wrong = add(target, words, count);
        if (!wrong)
            plug(target, true);
        return wrong;
    }
    if (!targets[target])
        return "there is no such disk";
    if (strcmp(words[0], "pull") == 0)
        return plug(target, false), NULL;
    if (strcmp(words[0], "plug") == 0)
        return plug(target, true), NULL;
    if (strcmp(words[0], "cut") == 0)
        return drive_cut_power(targets[target]), plug(target, false), NULL;
    if (strcmp(words[0], "sleep") == 0)
        return targets[target]->power = STANDBY_BY_TIMER, NULL;
    if (strcmp(words[0], "spoil") == 0 && count == 4)
        return spot_add(targets[target], strtoull(words[2], NULL, 10), strtoull(words[3], NULL, 10))
            ? NULL : "that can't be spoiled";
    if (strcmp(words[0], "fault") == 0 && count == 3)
        return set_fault(targets[target], words[2]);
    return "there is no such order";
}

static void take_order(void)
{
    static char line[8192];
    char *words[MAX_WORDS];
    int count = 0;
    if (!fgets(line, sizeof line, stdin))
        exit(0); /* whoever held the lab has gone */
    line[strcspn(line, "\n")] = 0;
    for (char *word = strtok(line, "\t"); word && count < MAX_WORDS; word = strtok(NULL, "\t"))
        words[count++] = word;
    const char *wrong = NULL;
    if (count && strcmp(words[0], "store") == 0) {
        struct store_state state = store_look();
        printf("ok\t%llu\t%llu\t%d\n", (unsigned long long)state.used_bytes, (unsigned long long)state.room_bytes,
               vhost_waiting(true));
    } else if (count == 2 && strcmp(words[0], "power") == 0 && (unsigned)atoi(words[1]) < MAX_TARGETS && targets[atoi(words[1])]) {
        const struct disk *disk = targets[atoi(words[1])];
        printf("ok\t%u\t%d\n", disk->spin_ups, disk->power != AWAKE);
    } else if ((wrong = count ? obey(words, count) : "that is no order"))
        printf("%s\n", wrong);
    else
        puts("ok");
    fflush(stdout);
}

static void cut_power(void)
{
    for (int target = 0; target < MAX_TARGETS; target++)
        if (targets[target])
            drive_cut_power(targets[target]);
}

/* Wait until something comes in, the disks' next event is due, or a command may be tried again; how much has come in. */
static int wait_for(int watcher, struct epoll_event *event)
{
    int patience_ms = vhost_waiting(false) ? RETRY_MS : -1;
    if (!drives_are_there())
        return epoll_wait(watcher, event, 1, patience_ms);
    static int64_t answered;
    int64_t now = drives_now(), next = drives_run(now);
    if (drives_have_finished()) {
        vhost_retry();
        answered = now;
    }
    if (next == INT64_MAX) { /* in very slow motion, which is for measuring flash, waking up would count */
        bool is_awake = drives_host_ns(NEXT_NS) > 16 * NEXT_NS && now < answered + NEXT_NS;
        return epoll_wait(watcher, event, 1, is_awake ? 0 : patience_ms);
    }
    double left_ns = drives_host_ns(next - now) - AWAKE_NS, most_ns = RETRY_MS * 1e6;
    left_ns = left_ns < 0 ? 0 : left_ns > most_ns ? most_ns : left_ns;
    struct timespec left = {0, left_ns};
    struct pollfd watched = {watcher, POLLIN};
    if (left_ns > 0)
        ppoll(&watched, 1, &left, NULL);
    return epoll_wait(watcher, event, 1, 0);
}

int main(int count, char **words)
{
    int watcher = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event orders = {.events = EPOLLIN, .data.fd = ORDERS}, event;
    static uint64_t zero_pages[8];
    int zero_page_count = count - 5;
    if (zero_page_count < 0 || zero_page_count > (int)(sizeof zero_pages / sizeof *zero_pages))
        return 2;
    for (int number = 0; number < zero_page_count; number++)
        zero_pages[number] = strtoull(words[5 + number], NULL, 10);
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdin, NULL, _IONBF, 0); /* or a line could lie in a buffer that nobody waits for */
    prctl(PR_SET_TIMERSLACK, 1);
    store_begin(words[1], strtoull(words[2], NULL, 10));
    drives_begin(strtod(words[4], NULL));
    atexit(cut_power);
    epoll_ctl(watcher, EPOLL_CTL_ADD, ORDERS, &orders);
    vhost_begin(atoi(words[3]), watcher, zero_pages, zero_page_count);
    for (int64_t retried_ms = 0;;) {
        int ready = wait_for(watcher, &event);
        if (ready > 0 && event.data.fd == ORDERS)
            take_order();
        else if (ready > 0)
            vhost_ready(event.data.fd);
        if (vhost_waiting(false) && now_ms() - retried_ms >= RETRY_MS) {
            vhost_retry();
            retried_ms = now_ms();
        }
    }
}
