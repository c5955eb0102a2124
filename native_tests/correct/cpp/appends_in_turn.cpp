// Two threads append to one string in turn, and both print by a stream of the program's, which is none of theirs to share.
// bound none: pass, traces 2
// expect: pass
#include <cassert>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

static std::mutex turn;
static std::string word;

static void append(const char *letters)
{
    std::cout << "appends " << letters << '\n';
    std::lock_guard<std::mutex> guard(turn);
    word.append(letters);
}

int main()
{
    std::thread one(append, "one"), other(append, "two");
    one.join();
    other.join();
    assert(word.size() == 6);
}
