/* The explored region of a Python test: what lies outside of it is run in one fixed order and told to nobody. */
#ifndef BPOR_REGION_H
#define BPOR_REGION_H
#include <stdbool.h>

/* Switches exploration on or off, from the running thread's next operation on. */
void bpor_region_explore(bool on);
#endif
