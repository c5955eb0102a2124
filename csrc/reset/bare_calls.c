#define _GNU_SOURCE
#include "reset/bare_calls.h"
#include "process/libraries.h"
#include "process/system_calls.h"
#include "process/untold.h"
#include "runtime/reserve.h"
#include <link.h>
#include <stdio.h>
#include <sys/syscall.h>

enum { MOST = 12 };

static struct texts {
    unsigned count;
    struct {
        uintptr_t start;
        size_t bytes;
    } of[MOST];
} * texts;

void bpor_bare_calls_reserve(void)
{
    texts = bpor_reserve_kept(sizeof *texts);
}

static int look_at_module(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    for (unsigned i = 0; i < info->dlpi_phnum && bpor_library_is_system(info->dlpi_name); i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_X) || texts->count == MOST)
            continue;
        texts->of[texts->count].start = info->dlpi_addr + header->p_vaddr;
        texts->of[texts->count++].bytes = header->p_memsz;
    }
    return 0;
}

void bpor_bare_calls_look(void)
{
    texts->count = 0;
    dl_iterate_phdr(look_at_module, NULL);
}

/* Those that only wait, or ask who is there; the end of a handler and its mask are libc's. */
static bool tells_nothing(long number)
{
    return number == SYS_futex || number == SYS_sched_yield || number == SYS_getpid || number == SYS_gettid ||
           number == SYS_rt_sigreturn || number == SYS_rt_sigprocmask;
}

void bpor_bare_call_note(long number, uintptr_t address)
{
    char said[96];
    for (unsigned i = 0; i < texts->count; i++)
        if (address - texts->of[i].start < texts->of[i].bytes)
            return;
    if (tells_nothing(number))
        return;
    snprintf(said, sizeof said, "nothing shared by bare system calls (%s)", bpor_system_call_name(number));
    bpor_untold(said);
}
