/* A target of several processes: starts the first of them, which returns from the call, and waits for all. */
#ifndef BPOR_SUPERVISE_H
#define BPOR_SUPERVISE_H
#include "protocol/protocol.h"

void supervise(struct bpor_shared *shared, int plan, int events);
#endif
