/* The process that waits at the fork point. */
#ifndef BPOR_TEMPLATE_H
#define BPOR_TEMPLATE_H

void bpor_template_hello(void);
void bpor_template_reset_shared(void);
#endif
