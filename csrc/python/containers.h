/* State that an extension keeps in dicts, lists, sets and attributes. */
#ifndef BPOR_CONTAINERS_H
#define BPOR_CONTAINERS_H

/* At the fork point: instrumented modules reach the interpreter's containers through us from now on. */
void bpor_containers_watch(void);
#endif
