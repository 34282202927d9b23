/* A library to preload: the host's ptrace as it is on a processor with AMX, for machines that have none.
 *
 * Reading the extended state gives 11,008 bytes, and writing less than that fails with EFAULT, as
 * arch/x86/kernel/fpu/regset.c (xstateregs_set) has it. Preloaded after the practice machine's own library, or
 * for a whole system through /etc/ld.so.preload.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>

#define LARGE_BYTES 11008

typedef long (*ptrace_fn)(long request, pid_t pid, void *address, void *data);

static long set_state(ptrace_fn next, pid_t pid, struct iovec *given)
{
    static char spare[LARGE_BYTES];
    struct iovec own = {spare, sizeof spare};

    if (given->iov_len < LARGE_BYTES) {
        errno = EFAULT;
        return -1;
    }
    if (next(PTRACE_GETREGSET, pid, (void *)NT_X86_XSTATE, &own) < 0)
        return -1;
    own.iov_base = given->iov_base;  /* as much as this processor has */
    return next(PTRACE_SETREGSET, pid, (void *)NT_X86_XSTATE, &own);
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
    if (address != (void *)NT_X86_XSTATE)
        return next(request, pid, address, data);
    if (request == PTRACE_SETREGSET)
        return set_state(next, pid, data);
    size_t room = request == PTRACE_GETREGSET ? ((struct iovec *)data)->iov_len : 0;
    long result = next(request, pid, address, data);
    if (result == 0 && room >= LARGE_BYTES)
        ((struct iovec *)data)->iov_len = LARGE_BYTES;
    return result;
}
