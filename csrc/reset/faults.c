/* The kernel's counts are trusted only after a test has shown that they count. This file writes only its own table, which
 * outlives executions. */
#define _GNU_SOURCE
#include "reset/faults.h"
#include "reset/page_tracking.h"
#include "runtime/reserve.h"
#include "runtime/sys.h"
#include <sys/resource.h>

enum { MAX_POPULATED = 256 << 10, ASKS_AFTER_FAULT = 64 /* executions */ };

static struct faults {
    bool tell;     /* an execution without a fault has written no new page */
    long count;    /* when the execution began, or was last asked about */
    unsigned asks; /* executions that are to be told from what is done between them */
} * faults;

static long count_faults(void)
{
    struct rusage usage;
    return sys_call3(SYS_getrusage, RUSAGE_THREAD, &usage, 0) == 0 ? usage.ru_minflt + usage.ru_majflt : -1;
}

void bpor_faults_reserve(void)
{
    faults = bpor_reserve_kept(sizeof *faults);
}

void bpor_faults_try(volatile uint8_t *probe)
{
    long before = count_faults();
    *probe = 1;
    faults->tell = before >= 0 && count_faults() > before;
}

/* Between executions the search rarely touches new memory. Where it does not, a call of the kernel is saved; where it does, its
 * faults count as the execution's: a page is looked for that nobody has written, and then the kernel is asked for a while. */
void bpor_faults_begin(void)
{
    if (!faults->tell || faults->asks == 0)
        return;
    faults->asks--;
    faults->count = count_faults();
}

void bpor_faults_begin_elsewhere(void)
{
    faults->asks = 1;
    bpor_faults_begin();
}

void bpor_faults_expect(uintptr_t start, size_t bytes)
{
    if (!faults->tell || bytes > MAX_POPULATED)
        return;
    long before = count_faults();
    sys_call3(SYS_madvise, start, bytes, MADV_POPULATE_WRITE);
    faults->count += count_faults() - before;
}

bool bpor_faults_happened(void)
{
    long before = faults->count;
    if (!faults->tell)
        return true;
    faults->count = count_faults(); /* what the caller touches from here on counts for the next one */
    if (faults->count == before)
        return false;
    faults->asks = ASKS_AFTER_FAULT;
    return true;
}
