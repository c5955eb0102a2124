// The letters of a std::wstring are copied by wmemcpy, called by libstdc++: another thread may see new ones beside old ones.
// expect: assertion
// bound preemption:0: pass
// bound preemption:1: assertion
#include <cassert>
#include <string>
#include <thread>

static std::wstring text = L"aaaa";

int main()
{
    std::thread replaces([] { text.replace(0, 4, L"bbbb"); });
    wchar_t first = text[0], last = text[3];
    assert(first == last);
    replaces.join();
}
