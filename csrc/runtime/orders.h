/* Memory orders other than those the program asks for (--with-order), chosen by call site: what would another one change? */
#ifndef BPOR_ORDERS_H
#define BPOR_ORDERS_H
#include "memory/memory.h"

void bpor_orders_change(struct memory_access *access, const void *site);
/* Of a fence; -1: there is none. */
int bpor_orders_fence(int order, const void *site);
#endif
