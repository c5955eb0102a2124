/* C++: exceptions thrown, passed on, kept for another thread; objects that die on the way; streams, containers, types at run
 * time. */
#include "player.h"
#include <exception>
#include <functional>
#include <iomanip>
#include <map>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

static uint64_t text(const std::string &value)
{
    return mixed_bytes(value.size(), value.data(), value.size());
}

struct Tracer {
    uint64_t &deaths;
    ~Tracer()
    {
        deaths = mixed(deaths, 1 + std::uncaught_exceptions());
    }
};

static uint64_t sink(unsigned depth, uint64_t &deaths)
{
    Tracer tracer{deaths};
    if (depth == 0)
        throw std::out_of_range("bottom");
    return sink(depth - 1, deaths) + 1;
}

static uint64_t thrown(unsigned parameter)
{
    uint64_t deaths = 0;
    try {
        sink(parameter % 20, deaths);
    } catch (const std::logic_error &error) {
        return mixed(deaths, text(error.what()));
    }
    return 0;
}

static uint64_t thrown_again(unsigned parameter)
{
    uint64_t value = 0;
    try {
        try {
            throw static_cast<int>(parameter % 100);
        } catch (int number) {
            value = number;
            try {
                throw std::string(number, 'y');
            } catch (const std::string &inner) {
                value = mixed(value, inner.size());
            }
            throw;
        }
    } catch (...) {
        value = mixed(value, std::uncaught_exceptions());
        try {
            std::throw_with_nested(std::runtime_error("outer"));
        } catch (const std::nested_exception &nested) {
            value = mixed(value, nested.nested_ptr() != nullptr);
        }
    }
    return value;
}

static std::exception_ptr pending;

/* Rethrows what a thread left here, which may have ended since, and leaves another. */
static uint64_t handed_over(unsigned parameter)
{
    uint64_t value = 0;
    try {
        if (pending)
            std::rethrow_exception(pending);
    } catch (const std::exception &error) {
        value = text(error.what());
    }
    pending = std::make_exception_ptr(std::runtime_error("left by " + std::to_string(parameter)));
    return value;
}

static uint64_t no_memory(unsigned)
{
    try {
        std::vector<char> all(static_cast<size_t>(1) << 46);
        return all[0];
    } catch (const std::bad_alloc &) {
        return 1;
    }
}

struct Shape {
    virtual ~Shape() = default;
    virtual uint64_t corners() const = 0;
};
struct Square : Shape {
    uint64_t corners() const override
    {
        return 4;
    }
};
struct Circle : virtual Shape {
    uint64_t corners() const override
    {
        return 0;
    }
};

static uint64_t which_type(unsigned parameter)
{
    std::unique_ptr<Shape> shape;
    if (parameter % 2)
        shape = std::make_unique<Square>();
    else
        shape = std::make_unique<Circle>();
    uint64_t value = shape->corners() + (dynamic_cast<Square *>(shape.get()) != nullptr);
    try {
        dynamic_cast<Circle &>(*shape).corners();
    } catch (const std::bad_cast &) {
        value += 100;
    }
    return mixed(value, text(typeid(*shape).name()));
}

static uint64_t streams(unsigned parameter)
{
    std::ostringstream out;
    out << std::hex << parameter << ' ' << std::setw(8) << std::setfill('0') << std::dec << parameter << ' ' << std::fixed
        << std::setprecision(3) << parameter / 3.0;
    std::istringstream in(out.str());
    unsigned number;
    in >> std::hex >> number;
    return mixed(text(out.str()), number);
}

static uint64_t containers(unsigned parameter)
{
    std::map<std::string, std::vector<int>> all;
    for (unsigned i = 0; i < 30 + parameter % 50; i++)
        all[std::to_string(i * parameter % 17)].push_back(i);
    uint64_t value = all.size();
    std::function<void(int)> sum = [&value](int one) { value = mixed(value, one); };
    for (const auto &[name, numbers] : all)
        for (int one : numbers)
            sum(one);
    return value;
}

static std::shared_ptr<std::string> common;

static uint64_t shared_pointer(unsigned parameter)
{
    std::shared_ptr<std::string> old = common;
    common = std::make_shared<std::string>(parameter % 50, 'z');
    std::weak_ptr<std::string> weak = old;
    uint64_t value = old ? mixed(old.use_count(), old->size()) : 0;
    old.reset();
    return mixed(value, weak.expired());
}

static uint64_t made_once(unsigned parameter)
{
    static uint64_t first = mixed(parameter, 5);
    return first;
}

const Activity of_exceptions[] = {
    {"thrown", thrown, NOTHING},         {"thrown_again", thrown_again, NOTHING},     {"handed_over", handed_over, OBJECTS},
    {"no_memory", no_memory, NOTHING},   {"which_type", which_type, NOTHING},         {"streams", streams, NOTHING},
    {"containers", containers, NOTHING}, {"shared_pointer", shared_pointer, OBJECTS}, {"made_once", made_once, OBJECTS},
    {nullptr, nullptr, NOTHING},
};
