/* The process that waits at the fork point. */
#ifndef BPOR_TEMPLATE_H
#define BPOR_TEMPLATE_H

/* A child ends when its parent does. */
void bpor_die_with(int parent);
void bpor_template_hello(void);
void bpor_template_reset_shared(void);
#endif
