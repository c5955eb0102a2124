/* The search beside the program: a second mapping, right behind struct bpor_shared, that outlives the target. A part of
 * protocol.h. */
#ifndef BPOR_PROTOCOL_SEARCH_H
#define BPOR_PROTOCOL_SEARCH_H
#include "protocol/event.h"
#include "protocol/order.h"
#include "protocol/tally.h"
#include <stdint.h>
/* cffi: begin */

enum { BPOR_SEALED_BY_KEY = 256 }; /* the trees themselves cannot be written: the checksum is of the rest */

struct bpor_search {
    uint8_t stack[2][0x180000]
                 [4096]; /* the trees themselves, sparse; only the target looks into them. First, so on whole pages */
    uint32_t stop_now;   /* the controller's wish */
    uint32_t exploring;  /* an order is being carried out */
    uint32_t untold;     /* an answer is ready, and END was not sent */
    uint32_t sealed;     /* trees with a checksum, taken before the execution that runs, and BPOR_SEALED_BY_KEY */
    uint64_t era;        /* processes that have carried out orders: identities of different ones say nothing of each other */
    uint64_t counts_seal;
    uint64_t log_seal[2]; /* of the events in the log, when their number is even, when it is odd */
    struct bpor_order order;
    struct bpor_answer answer;
    struct bpor_tally total;
    struct bpor_tree_facts tree[2];
    struct bpor_names names;
    struct bpor_shelf shelf;
    struct bpor_record record[65536];
    struct bpor_event log[8388608];
};
/* cffi: end */
#endif
