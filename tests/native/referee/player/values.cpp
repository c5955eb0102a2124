/* What C++ code does between two operations: containers that grow, streams into strings, objects that are made at their first
 * use. */
#include "player.h"
#include <algorithm>
#include <any>
#include <functional>
#include <iomanip>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <unordered_map>
#include <variant>
#include <vector>

/* Counts those that live; the copy after the last allowed one throws. */
struct Counted {
    static thread_local int living, copies;
    std::string text;
    explicit Counted(unsigned number) : text(number % 50, 'c')
    {
        living++;
    }
    Counted(const Counted &other) : text(other.text)
    {
        if (copies-- == 0)
            throw std::runtime_error("no more copies");
        living++;
    }
    ~Counted()
    {
        living--;
    }
};
thread_local int Counted::living, Counted::copies;

static uint64_t grown(unsigned parameter)
{
    uint64_t value = 0;
    Counted::copies = parameter % 40;
    try {
        std::vector<Counted> many;
        for (unsigned i = 0; i < 20; i++) {
            many.emplace_back(i + parameter);
            value = mixed(value, many.size());
        }
    } catch (const std::runtime_error &error) {
        value = mixed_bytes(value, error.what(), 7);
    }
    return mixed(value, Counted::living);
}

static uint64_t moved_along(unsigned parameter)
{
    std::vector<std::unique_ptr<std::string>> owners;
    for (unsigned i = 0; i < 5 + parameter % 60; i++)
        owners.push_back(std::make_unique<std::string>(i * 7 % 90, 'm'));
    std::sort(owners.begin(), owners.end(), [](const auto &one, const auto &other) { return *one < *other; });
    owners.erase(std::unique(owners.begin(), owners.end(), [](auto &one, auto &other) { return *one == *other; }), owners.end());
    return mixed(owners.size(), owners.back()->size());
}

static uint64_t printed(unsigned parameter)
{
    std::ostringstream stream;
    stream << std::hex << std::setw(8) << std::setfill('0') << parameter << ' ' << std::dec << -static_cast<int>(parameter) << ' '
           << std::fixed << std::setprecision(3) << parameter / 7.0 << ' ' << std::boolalpha << (parameter % 2 == 0) << '\n'
           << std::string(parameter % 400, 'o');
    std::string text = stream.str();
    return mixed_bytes(text.size(), text.data(), text.size());
}

static uint64_t read_back(unsigned parameter)
{
    std::istringstream stream(std::to_string(parameter) + " 2.5 word\nrest of line\nx17");
    unsigned number = 0;
    double fraction = 0;
    std::string word, line;
    int none = 5;
    stream >> number >> fraction >> word >> std::ws;
    std::getline(stream, line);
    stream >> none;
    bool failed = stream.fail();
    stream.clear();
    stream.exceptions(std::ios::failbit);
    try {
        stream >> none;
    } catch (const std::ios_base::failure &) {
        none += 100;
    }
    return mixed(mixed(number, fraction * 4), mixed(line.size() + failed, none));
}

struct Made {
    std::map<unsigned, std::string> table;
    explicit Made(unsigned by)
    {
        for (unsigned i = 0; i < 10; i++)
            table[i * by % 13] = std::string(i, 't');
    }
};

static uint64_t made_at_first_use(unsigned parameter)
{
    static const Made made(3 + parameter % 5);
    return mixed(made.table.size(), made.table.rbegin()->first);
}

/* An initialisation that throws has not happened: the next caller begins it again. */
static uint64_t made_in_the_end(unsigned parameter)
{
    static unsigned tries;
    struct Reluctant {
        unsigned by;
        explicit Reluctant(unsigned given) : by(given)
        {
            if (++tries < 3)
                throw tries;
        }
    };
    try {
        static const Reluctant reluctant(parameter % 9);
        return 100 + reluctant.by;
    } catch (unsigned which) {
        return which;
    }
}

static uint64_t looked_up(unsigned parameter)
{
    std::unordered_map<std::string, unsigned> counts;
    for (unsigned i = 0; i < 50 + parameter % 200; i++)
        counts[std::to_string(i * parameter % 37)] += i;
    std::map<std::string, unsigned> sorted(counts.begin(), counts.end());
    uint64_t value = 0;
    for (const auto &[key, count] : sorted)
        value = mixed(value, key.size() * 1000 + count);
    return value;
}

struct Shape {
    virtual ~Shape() = default;
    virtual unsigned sides() const = 0;
};
struct Square : Shape {
    unsigned sides() const override
    {
        return 4;
    }
};
struct Circle : Shape {
    unsigned sides() const override
    {
        return 1;
    }
};

static uint64_t kinds(unsigned parameter)
{
    std::unique_ptr<Shape> shape;
    if (parameter % 2)
        shape = std::make_unique<Square>();
    else
        shape = std::make_unique<Circle>();
    std::variant<unsigned, std::string> either = parameter;
    if (parameter % 3 == 0)
        either = std::string(parameter % 20, 'v');
    std::any any = shape->sides();
    std::optional<unsigned> perhaps;
    try {
        perhaps = std::any_cast<int>(any);
    } catch (const std::bad_any_cast &) {
        perhaps = 40;
    }
    std::function<unsigned(unsigned)> twice = [&](unsigned depth) { return depth ? 2 * twice(depth - 1) : 1; };
    return mixed(either.index() * 8 + (dynamic_cast<Square *>(shape.get()) != nullptr), *perhaps + twice(parameter % 8));
}

const Activity of_values[] = {
    {"grown", grown, NOTHING},
    {"moved_along", moved_along, NOTHING},
    {"printed", printed, NOTHING},
    {"read_back", read_back, NOTHING},
    {"made_at_first_use", made_at_first_use, NOTHING},
    {"made_in_the_end", made_in_the_end, NOTHING},
    {"looked_up", looked_up, NOTHING},
    {"kinds", kinds, NOTHING},
    {nullptr, nullptr, NOTHING},
};
