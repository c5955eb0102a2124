/* Objects of the program's on which libstdc++ works in functions of its own, while another thread looks at them. `main` says what
 * it has seen: what it must see if it comes first, it must also be able not to see. The argument says which object. */
#include <cassert>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <locale>
#include <memory_resource>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

/* Does the other thread come first? */
template <typename Other, typename Look> static bool late(Other other, Look look)
{
    std::thread thread(other);
    bool seen = look();
    thread.join();
    return seen;
}

struct Comma : std::numpunct<char> {
    char do_decimal_point() const override
    {
        return ',';
    }
};

struct Base {
    virtual ~Base() = default;
};
struct Derived : Base {
};

static bool is(const std::string &name)
{
    if (name == "promise") {
        std::promise<int> promise;
        auto future = promise.get_future();
        return late([&] { promise.set_value_at_thread_exit(1); },
                    [&] { return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
    }
    if (name == "resource") {
        static char room[64];
        std::pmr::monotonic_buffer_resource shared(room, sizeof room);
        void *theirs = nullptr;
        return late([&] { theirs = shared.allocate(8); }, [&] { return shared.allocate(8) != room; });
    }
    if (name == "path") {
        std::filesystem::path path("a");
        return late([&] { path /= "b"; }, [&] { return std::distance(path.begin(), path.end()) == 2; });
    }
    if (name == "error") {
        std::runtime_error error("a"), other("b");
        return late([&] { error = other; }, [&] { return std::string(error.what()) == "b"; });
    }
    if (name == "letters") {
        char text[] = "abc";
        return late([&] { text[0] = 'x'; },
                    [&] { return std::use_facet<std::ctype<char>>(std::locale()).toupper(text, text + 3), text[0] != 'A'; });
    }
    if (name == "locale") {
        std::ostringstream stream;
        std::locale other(stream.getloc(), new Comma);
        return late([&] { stream.imbue(other); }, [&] { return stream.getloc() == other; });
    }
    if (name == "file") {
        std::ofstream file;
        return late([&] { file.open("/dev/null"); }, [&] { return file.is_open(); });
    }
    if (name == "number") {
        char text[8] = "1";
        return late([&] { std::to_chars(text, text + 8, 2.5); }, [&] { return text[0] == '2'; });
    }
    if (name == "symbol") {
        char text[] = "1A";
        return late([&] { text[1] = 'B'; },
                    [&] {
                        char *readable = abi::__cxa_demangle(text, nullptr, nullptr, nullptr);
                        bool other = readable[0] == 'B';
                        free(readable);
                        return other;
                    });
    }
    if (name == "type") {
        alignas(Derived) char room[sizeof(Derived)];
        Base *object = new (room) Base;
        return late([&] { new (room) Derived; }, [&] { return dynamic_cast<Derived *>(object) != nullptr; });
    }
    if (name == "join") {
        std::thread third([] {});
        return late([&] { third.join(); }, [&] { return !third.joinable(); });
    }
    if (name == "width") {
        std::cout.width(3);
        return late([] { std::cout << "x"; }, [] { return std::cout.width() == 0; });
    }
    if (name == "fill")
        return late([] { std::cerr.fill('x'); }, [] { return std::cerr.fill() == 'x'; });
    assert(name == "count");
    std::istringstream text("abc");
    std::streambuf *before = std::cin.rdbuf(text.rdbuf());
    char into[4];
    bool other = late([&] { std::cin.read(into, 3); }, [] { return std::cin.gcount() == 3; });
    std::cin.rdbuf(before);
    return other;
}

int main(int, char **argument)
{
    assert(!is(argument[1]));
    return 0;
}
