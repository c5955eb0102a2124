#include "memory/recent.h"
#include "runtime/reserve.h"

struct recent *bpor_recent;

void bpor_recent_reserve(void)
{
    bpor_recent = bpor_reserve_kept(sizeof *bpor_recent);
    memset(bpor_recent, 0, sizeof *bpor_recent); /* its pages are there before an execution touches them (reset/faults.h) */
    bpor_recent->era = RECENT_ERA;
}
