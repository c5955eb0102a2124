// A word is read into an array by functions of libstdc++ that operator>> calls: another thread may see its letters before its end.
// expect: assertion
// bound preemption:1: pass
// bound preemption:2: assertion
#include <cassert>
#include <sstream>
#include <thread>

static char word[8] = "-------";
static std::istringstream input("abc ");

int main()
{
    std::thread reads([] { input >> word; });
    bool begun = word[0] == 'a';
    assert(!begun || word[3] == '\0');
    reads.join();
}
