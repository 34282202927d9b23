/* Sets a traced child's vector registers from an area that is shorter than the host's and from a whole one, lets the
 * child look at them, and says for each how it went. */
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define XMM0_AT 160  /* Intel SDM volume 1, 10.5.1: the FXSAVE area */
#define LEGACY_AND_HEADER_BYTES 576

static char area[64 * 1024];

static void set(pid_t child, const char *name, size_t bytes, unsigned char mark)
{
    struct iovec given = {area, bytes};
    unsigned char seen;

    memset(area + XMM0_AT, mark, 16);
    area[512] |= 2;  /* the header says that SSE's registers are in use */
    if (ptrace(PTRACE_SETREGSET, child, (void *)NT_X86_XSTATE, &given) < 0) {
        printf("%s: %s\n", name, errno == EFAULT ? "EFAULT" : strerror(errno));
        return;
    }
    char back[sizeof area];
    struct iovec got = {back, sizeof back};
    ptrace(PTRACE_GETREGSET, child, (void *)NT_X86_XSTATE, &got);
    seen = (unsigned char)back[XMM0_AT + 15];
    printf("%s: %s\n", name, seen == mark ? "set" : "not as given");
}

int main(void)
{
    pid_t child = fork();
    struct iovec whole = {area, sizeof area};

    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        _exit(0);
    }
    waitpid(child, 0, 0);
    if (ptrace(PTRACE_GETREGSET, child, (void *)NT_X86_XSTATE, &whole) < 0)
        return 1;
    set(child, "short", LEGACY_AND_HEADER_BYTES, 0x5a);
    set(child, "whole", whole.iov_len, 0xa5);
    kill(child, SIGKILL);
    waitpid(child, 0, 0);
    return 0;
}
