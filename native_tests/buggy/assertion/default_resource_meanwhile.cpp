// What std::pmr allocates from, and what is called without memory, is kept for all threads.
// with ANSWER=0, expect: assertion
// with ANSWER=1, expect: assertion
// with ANSWER=0 HANDLER=1, expect: assertion
// with ANSWER=1 HANDLER=1, expect: assertion
#include <cassert>
#include <memory_resource>
#include <new>
#include <thread>

#ifdef HANDLER
static void give_up()
{
}
#endif

static void change()
{
#ifdef HANDLER
    std::set_new_handler(give_up);
#else
    std::pmr::set_default_resource(std::pmr::null_memory_resource());
#endif
}

static bool is_changed()
{
#ifdef HANDLER
    return std::get_new_handler() == give_up;
#else
    return std::pmr::get_default_resource() == std::pmr::null_memory_resource();
#endif
}

int main()
{
    std::thread other(change);
    bool changed = is_changed();
    other.join();
    assert(changed == ANSWER);
}
