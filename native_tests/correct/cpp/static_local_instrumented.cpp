// A static local initialised by two threads: one of them does it, and the other has seen it done.
// compiler: bpor
// bound none: pass
#include <cstdlib>
#include <thread>

struct Table {
    int size;
    Table() : size(4)
    {
    }
};

static int size_of_table()
{
    static Table table;
    return table.size;
}

int main()
{
    std::thread other([] {
        if (size_of_table() != 4)
            std::abort();
    });
    int mine = size_of_table();
    other.join();
    return mine == 4 ? 0 : 1;
}
