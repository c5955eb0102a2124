/* The contract between the controller (Python) and the runtime (C): everything that crosses.
 *
 * cffi parses the parts in the order in which they stand here, so each stays within cffi's subset between its two markers:
 * structs, enums, no attributes.
 * Small messages cross over two pipes (each at most PIPE_BUF, so a killed writer never leaves half of one); events lie in a
 * mapping both sides share, so a killed target loses none of them.
 */
#ifndef BPOR_PROTOCOL_H
#define BPOR_PROTOCOL_H
/* clang-format off */
#include "protocol/access.h"
#include "protocol/event.h"
#include "protocol/end.h"
#include "protocol/config.h"
#include "protocol/shared.h"
#include "protocol/plan.h"
#include "protocol/order.h"
#include "protocol/tally.h"
#include "protocol/search.h"
/* clang-format on */
#endif
