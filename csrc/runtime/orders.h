/* Memory orders that replace those in the program, by call site (--with-order): they show what another order would change. */
#ifndef BPOR_ORDERS_H
#define BPOR_ORDERS_H
#include "memory/memory.h"

void bpor_orders_change(struct memory_access *access, const void *site);
/* Of a fence; -1: there is none. */
int bpor_orders_fence(int order, const void *site);
#endif
