/* The engine never asks whether a page is frozen: if it writes to one, the fault thaws it and those behind it, because a stack
 * that became lower is written again from there on. A page that was thawed a few times stays so.
 *
 * Invariants: which pages are frozen is part of the sum (seal.c), so a mark is as good as what it stands for. Protection belongs
 * to a process and marks to the mapping, so a new process begins without either. The engine runs with the signal mask of the fork
 * point, in which the fault must not be blocked. */
#define _GNU_SOURCE
#include "beside/frozen.h"
#include "arch/x86_64/page.h"
#include "beside/key.h"
#include "beside/place.h"
#include "beside/search.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <string.h>
#include <sys/mman.h>

enum {
    FROZEN = 128,
    LEAST = 4,      /* pages of a table: a shorter one is summed up as fast */
    MARGIN = 1,     /* the page below the top of a table changes in every execution, too */
    EVERY = 16,     /* seals */
    AT_ONCE = 16,   /* pages that one fault thaws, at most */
    MOST_THAWED = 4 /* times */
};

static struct frozen *frozen(void)
{
    return &place(0)->frozen;
}

static bool holds(const void *address)
{
    return (uintptr_t)address - (uintptr_t)search->stack < sizeof search->stack;
}

static uint32_t page_of(const void *address)
{
    return (uint32_t)(((uintptr_t)address - (uintptr_t)search->stack) / PAGE);
}

static const uint8_t *address_of(uint32_t page)
{
    return &search->stack[0][0][0] + (size_t)page * PAGE;
}

static bool protect(uint32_t page, uint32_t end, int protection)
{
    return sys_call3(SYS_mprotect, address_of(page), (size_t)(end - page) * PAGE, protection) == 0;
}

static void thaw(uint32_t page, uint32_t end)
{
    if (page < end && !protect(page, end, PROT_READ | PROT_WRITE))
        bpor_end(BPOR_OUTCOME_INTERNAL, 0, "the trees could not be made writable");
}

void frozen_forget(void)
{
    for (uint32_t i = 0; i < frozen()->tables; i++) {
        const struct frozen_table *table = &frozen()->table[i];
        thaw(table->first, table->end);
        memset(&frozen()->mark[table->first], 0, table->end - table->first);
    }
    frozen()->tables = frozen()->seals = 0;
}

/* Would the engine get its faults? */
static bool hears_faults(void)
{
    uint64_t blocked = 0;
    sys_call4(SYS_rt_sigprocmask, SIG_BLOCK, 0, &blocked, sizeof blocked);
    return !(blocked >> (SIGSEGV - 1) & 1);
}

void frozen_begin(void)
{
    if (frozen()->era != search->era)
        frozen_forget();
    frozen()->era = search->era;
    bool due = ++frozen()->seals % EVERY == 0;
    frozen()->begun = due && !key_is_there() && hears_faults();
}

void frozen_end(void)
{
    frozen()->begun = false;
}

static struct frozen_table *table_at(uint32_t first)
{
    struct frozen *all = frozen();
    for (uint32_t i = 0; i < all->tables; i++)
        if (all->table[i].first == first)
            return &all->table[i];
    if (all->tables == FROZEN_TABLES)
        return NULL;
    all->table[all->tables] = (struct frozen_table){first, first};
    return &all->table[all->tables++];
}

static bool is_frozen(uint32_t page)
{
    return frozen()->mark[page] & FROZEN;
}

static void freeze(uint32_t page, uint32_t end)
{
    if (!protect(page, end, PROT_READ))
        return;
    for (; page < end; page++)
        frozen()->mark[page] |= FROZEN;
}

void frozen_take(const void *start, size_t bytes)
{
    if (!frozen()->begun || bytes < (LEAST + MARGIN) * PAGE || !holds(start))
        return;
    uint32_t page = page_of((const uint8_t *)start + PAGE - 1), end = page_of((const uint8_t *)start + bytes) - MARGIN;
    struct frozen_table *table = table_at(page);
    if (table == NULL)
        return;
    table->end = end > table->end ? end : table->end;
    while (page < end) {
        uint32_t from = page;
        while (page < end && frozen()->mark[page] < MOST_THAWED)
            page++;
        if (from < page)
            freeze(from, page);
        page++;
    }
}

const uint8_t *frozen_next(const uint8_t *at, const uint8_t *end)
{
    if (frozen()->tables == 0 || !holds(at))
        return end;
    uint32_t page = page_of(at + PAGE - 1), last = page_of(end);
    while (page < last && !is_frozen(page))
        page++;
    return page < last ? address_of(page) : end;
}

const uint8_t *frozen_behind(const uint8_t *at, const uint8_t *end)
{
    if (frozen()->tables == 0 || !holds(at))
        return at;
    uint32_t page = page_of(at), last = page_of(end);
    while (page < last && is_frozen(page))
        page++;
    return address_of(page) > at ? address_of(page) : at; /* what ends in the midst of a page is not left out */
}

/* The page, or none. */
static uint32_t page_hit(const siginfo_t *info)
{
    bool denied = info->si_signo == SIGSEGV && info->si_code == SEGV_ACCERR && search && holds(info->si_addr);
    return denied && is_frozen(page_of(info->si_addr)) ? page_of(info->si_addr) : FROZEN_PAGES;
}

bool frozen_was_hit(const siginfo_t *info)
{
    return page_hit(info) < FROZEN_PAGES;
}

bool bpor_search_thaws(const siginfo_t *info)
{
    uint32_t page = page_hit(info), end = page;
    if (page == FROZEN_PAGES || search->sealed)
        return false; /* the program runs */
    for (; end < page + AT_ONCE && end < FROZEN_PAGES && is_frozen(end); end++)
        frozen()->mark[end] += 1 - FROZEN;
    thaw(page, end);
    return true;
}
