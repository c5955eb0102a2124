#define _GNU_SOURCE
#include "beside/key.h"
#include "arch/x86_64/protection_key.h"
#include "beside/frozen.h"
#include "beside/search.h"
#include "runtime/sys.h"
#include <signal.h>
#include <sys/mman.h>

static uint32_t key; /* 0, which all other memory carries: none */

void key_take(void *trees, size_t bytes)
{
    long taken = sys_call3(SYS_pkey_alloc, 0, KEY_NO_ACCESS, 0); /* so it is before, too: see bpor_control_state_problem */
    if (taken <= 0)
        return;
    if (sys_call4(SYS_pkey_mprotect, trees, bytes, PROT_READ | PROT_WRITE, taken) == 0)
        key = (uint32_t)taken;
    else
        sys_call3(SYS_pkey_free, taken, 0, 0);
}

bool key_is_there(void)
{
    return key != 0;
}

/* Of the other keys nothing changes: the program may have some. */
static void set_rights(uint32_t rights)
{
    uint32_t shift = key * KEY_BITS, now = read_key_rights();
    uint32_t wanted = (now & ~((uint32_t)(KEY_NO_ACCESS | KEY_NO_WRITE) << shift)) | rights << shift;
    if (wanted != now)
        write_key_rights(wanted); /* which takes longer than reading */
}

void key_lock(void)
{
    if (key)
        set_rights(KEY_NO_WRITE);
}

void key_unlock(void)
{
    if (key)
        set_rights(0);
}

uint32_t key_look_begin(void)
{
    uint32_t rights = key ? read_key_rights() : 0;
    key_unlock();
    return rights;
}

void key_look_end(uint32_t rights)
{
    if (key)
        write_key_rights(rights);
}

bool bpor_search_was_hit(const siginfo_t *info, const ucontext_t *context)
{
    enum { WRITES = 2 }; /* in the processor's error code */
    return frozen_was_hit(info) || (key && info->si_signo == SIGSEGV && info->si_code == SEGV_PKUERR && info->si_pkey == key &&
                                    context->uc_mcontext.gregs[REG_ERR] & WRITES);
}
