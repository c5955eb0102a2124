/* Functions that ask for an input that the test leaves open (a choice). Several names exist for one effect. */
#ifndef BPOR_MARK_H
#define BPOR_MARK_H

/* Under control, where something is explored. */
unsigned bpor_choose_input(unsigned count, const void *site);
/* Does not return. */
void bpor_assume_away(const void *site);
#endif
