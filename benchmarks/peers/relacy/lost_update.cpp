// lost_update.c in Relacy's types.
#include <relacy/relacy.hpp>

struct LostUpdate : rl::test_suite<LostUpdate, THREADS> {
    rl::atomic<int> counter;

    void before()
    {
        counter($) = 0;
    }

    void thread(unsigned)
    {
        for (int i = 0; i < ROUNDS; i++) {
            int seen = counter($).load(rl::memory_order_seq_cst);
            counter($).store(seen + 1, rl::memory_order_seq_cst);
        }
    }
};
using Test = LostUpdate;
#include "search.hpp"
