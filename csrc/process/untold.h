/* What threads may tell each other in a way that is known and not explored. The verdict names it: a pass says nothing about it.
 */
#ifndef BPOR_UNTOLD_H
#define BPOR_UNTOLD_H

/* `what` goes on behind "taken for granted: ". Nothing happens while the thread has no company. */
void bpor_untold(const char *what);
/* Whether it has company or not. */
void bpor_untold_in_any_company(const char *what);
#endif
