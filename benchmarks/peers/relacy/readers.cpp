// readers.c in Relacy's types: thread 0 writes.
#include <relacy/relacy.hpp>

struct Readers : rl::test_suite<Readers, THREADS + 1> {
    rl::atomic<int> value;

    void before()
    {
        value($) = 0;
    }

    void thread(unsigned number)
    {
        if (number == 0)
            value($).store(1, rl::memory_order_seq_cst);
        else
            value($).load(rl::memory_order_seq_cst);
    }
};
using Test = Readers;
#include "search.hpp"
