// std::atomic::wait with relaxed order, as headers of libstdc++ 16 compile it: waiting for a value orders nothing by itself, so
// neither the futex nor the version behind a byte hides the race.
// compiler: bpor
// with TYPE=int UNTIL=0, bound none: race
// with TYPE=char UNTIL=0, bound none: race
#define ORDER __ATOMIC_RELAXED
#include "../../correct/cpp20/library_waits.c"
