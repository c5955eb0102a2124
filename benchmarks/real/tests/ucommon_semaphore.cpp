// A semaphore that lets one thread pass; each of two threads passes it twice.
#include <ucommon/ucommon.h>
#undef NDEBUG // ucommon's headers define it
#include <cassert>

static ucommon::Semaphore one(1);
static int inside;

static void pass()
{
    one.wait();
    assert(++inside == 1);
    --inside;
    one.release();
}

class Worker : public ucommon::JoinableThread {
public:
    void run() override { pass(); }
    void end() { join(); }
};

int main()
{
    Worker worker;
    worker.start();
    pass();
    pass();
    worker.end();
}
