/* A library to preload into linux.uml: hands the host whole register areas where the kernel hands it short ones.
 *
 * UML sets a process's floating-point registers with PTRACE_SETREGSET of NT_X86_XSTATE and an area of its own size
 * (arch/x86/um/os-Linux/registers.c). Since Linux 5.16 the host answers EFAULT unless it gets its whole area
 * (arch/x86/kernel/fpu/regset.c, xstateregs_set), which with AMX is 11 KB and larger than UML's; Linux 6.13's UML asks
 * for the size first. So a shorter area is copied into a zeroed one of the host's size: parts of the state lie at fixed
 * places, and the header in the short area says which of them are in use. Where the area is whole nothing is done.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>

typedef long (*ptrace_fn)(long request, pid_t pid, void *address, void *data);

static char area[64 * 1024];  /* the largest host area known has 11 KB */

static size_t host_area_bytes(ptrace_fn next, pid_t pid)
{
    static size_t known;
    struct iovec whole = {area, sizeof area};

    if (known == 0 && next(PTRACE_GETREGSET, pid, (void *)NT_X86_XSTATE, &whole) == 0)
        known = whole.iov_len;
    return known;
}

long ptrace(enum __ptrace_request request, ...)
{
    static ptrace_fn next;
    va_list arguments;
    va_start(arguments, request);
    pid_t pid = va_arg(arguments, pid_t);
    void *address = va_arg(arguments, void *);
    void *data = va_arg(arguments, void *);
    va_end(arguments);

    if (!next)
        next = (ptrace_fn)dlsym(RTLD_NEXT, "ptrace");
    if (request == PTRACE_SETREGSET && address == (void *)NT_X86_XSTATE) {
        struct iovec *given = data;
        size_t host_bytes = host_area_bytes(next, pid);
        if (given->iov_len < host_bytes) {
            memset(area, 0, host_bytes);
            memcpy(area, given->iov_base, given->iov_len);
            struct iovec whole = {area, host_bytes};
            return next(request, pid, address, &whole);
        }
    }
    return next(request, pid, address, data);
}
