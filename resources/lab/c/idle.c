/* A library to preload into linux.uml: an idle kernel misses nothing. (arch/um/os-Linux, Linux 5.x and 6.x.)
 *
 * An event that comes between the moment at which the kernel holds signals back to go idle and the one at which it sleeps
 * (os_idle_sleep) is only noted, and would be seen with the next alarm, 10 ms later: with several disks, one command in a
 * hundred or so, and all that are answered after it. So sleep ends while the descriptor of its events has some.
 *
 * UML's clock is one timer, set anew by each alarm's handler. One that comes due inside of that handler, while signals are
 * held back, is dropped ("do not reenter the handler" in unblock_signals). From then on an idle kernel asks for ever
 * whether its timer is set, and nothing in the machine moves. So one that has been asked for in vain again and again is
 * set to come due soon. An alarm too many does no harm: the kernel looks what is due, and sets the next.
 *
 * In very slow motion, which is for measuring flash, it stays awake for a moment of its own time, longer than flash takes
 * to answer: a host's processor that has gone to sleep as well takes a tenth of a millisecond to wake, which the disk would
 * seem to take. (disks.c does the same between an answer and the next command.)
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>

enum { IN_VAIN = 100, SOON_NS = 1000000, AWAKE_NS = 100000 };
static const double VERY_SLOW = 1.0 / 16;
static int events = -1;

int epoll_create(int size)
{
    return events = epoll_create1(0);
}

static int64_t now_ns(void) /* by the machine's clock, which clock.c makes of the host's */
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static int is_very_slow(void)
{
    const char *pace = getenv("RAIDWRIGHT_PACE");
    return pace && strtod(pace, NULL) < VERY_SLOW;
}

int sigsuspend(const sigset_t *mask)
{
    static const struct timespec at_once;
    struct pollfd watched = {events, POLLIN};
    for (int64_t until = is_very_slow() ? now_ns() + AWAKE_NS : 0; until && now_ns() < until; sched_yield()) {
        int found = ppoll(&watched, 1, &at_once, mask);
        if (found)
            return found;
    }
    return ppoll(&watched, 1, NULL, mask);
}

int timer_gettime(timer_t timer, struct itimerspec *left)
{
    static int (*next)(timer_t, struct itimerspec *);
    static const struct itimerspec soon = {.it_value = {.tv_nsec = SOON_NS}};
    static int in_vain;

    if (!next)
        next = dlsym(RTLD_NEXT, "timer_gettime");
    int failed = next(timer, left);
    if (failed || left->it_value.tv_sec || left->it_value.tv_nsec)
        in_vain = 0;
    else if (++in_vain == IN_VAIN) {
        in_vain = 0;
        return timer_settime(timer, 0, &soon, NULL) || next(timer, left);
    }
    return failed;
}
