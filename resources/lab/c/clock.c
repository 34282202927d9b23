/* A library to preload into linux.uml: lets its clock run slower or faster than the host's.
 *
 * RAIDWRIGHT_PACE says how many of its seconds pass in one of the host's. The kernel in user space reads its clocks with
 * clock_gettime and gettimeofday and sets its timer with timer_settime (arch/um/os-Linux/time.c), so nothing within can
 * tell. Both clocks begin at the host's time and go on from there. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

enum { CLOCKS = 16 };
static double pace;
static int64_t began[CLOCKS];
static int (*host_clock)(clockid_t, struct timespec *);
static int (*host_set)(timer_t, int, const struct itimerspec *, struct itimerspec *);
static int (*host_get)(timer_t, struct itimerspec *);

static int64_t ns_of(const struct timespec *time)
{
    return time->tv_sec * 1000000000ll + time->tv_nsec;
}

static struct timespec time_of(int64_t ns)
{
    struct timespec time = {ns / 1000000000, ns % 1000000000};
    return time;
}

static void begin(void)
{
    const char *said = getenv("RAIDWRIGHT_PACE");
    host_clock = dlsym(RTLD_NEXT, "clock_gettime");
    host_set = dlsym(RTLD_NEXT, "timer_settime");
    host_get = dlsym(RTLD_NEXT, "timer_gettime");
    pace = said ? strtod(said, NULL) : 1;
    for (int clock = 0; clock < CLOCKS; clock++) {
        struct timespec now;
        if (host_clock(clock, &now) == 0)
            began[clock] = ns_of(&now);
    }
}

static struct timespec scaled(struct timespec time, double by)
{
    int64_t ns = ns_of(&time);
    return time_of(ns && ns * by < 1 ? 1 : ns * by); /* 0 would switch a timer off */
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    if (!host_clock)
        begin();
    int failed = host_clock(clock, time);
    if (!failed && clock >= 0 && clock < CLOCKS)
        *time = time_of(began[clock] + (ns_of(time) - began[clock]) * pace);
    return failed;
}

int gettimeofday(struct timeval *time, void *zone)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

int timer_settime(timer_t timer, int flags, const struct itimerspec *wanted, struct itimerspec *old)
{
    struct itimerspec host = *wanted;
    if (!host_clock)
        begin();
    host.it_value = scaled(host.it_value, 1 / pace);
    host.it_interval = scaled(host.it_interval, 1 / pace);
    return host_set(timer, flags, &host, old);
}

int timer_gettime(timer_t timer, struct itimerspec *left)
{
    if (!host_clock)
        begin();
    int failed = host_get(timer, left);
    left->it_value = scaled(left->it_value, pace);
    left->it_interval = scaled(left->it_interval, pace);
    return failed;
}
