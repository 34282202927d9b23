/* A library to preload into linux.uml: sets an idle kernel's alarm again where it was lost.
 *
 * UML's clock is one timer, set anew by each alarm's handler. One that comes due inside of that handler, while signals are
 * held back, is dropped ("do not reenter the handler" in unblock_signals, arch/um/os-Linux/signal.c, Linux 5.x and 6.x).
 * From then on an idle kernel asks for ever whether its timer is set (os_idle_sleep), and nothing in the machine moves.
 * So a timer that isn't set when it is asked for is set to come due soon. An alarm too many does no harm: the kernel looks
 * what is due, and sets the next.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

enum { SOON_NS = 1000000 };

int timer_gettime(timer_t timer, struct itimerspec *left)
{
    static int (*next)(timer_t, struct itimerspec *);
    static const struct itimerspec soon = {.it_value = {.tv_nsec = SOON_NS}};

    if (!next)
        next = dlsym(RTLD_NEXT, "timer_gettime");
    int failed = next(timer, left);
    if (failed || left->it_value.tv_sec || left->it_value.tv_nsec)
        return failed;
    return timer_settime(timer, 0, &soon, NULL) || next(timer, left);
}
