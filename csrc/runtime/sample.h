/* Random executions instead of a systematic search: random, pct, pos. */
#ifndef BPOR_SAMPLE_H
#define BPOR_SAMPLE_H

/* Who runs next, as plan.sample says. */
unsigned bpor_sample_choose(void);
#endif
