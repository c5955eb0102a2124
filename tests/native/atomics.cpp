// The programs of atomics.c by std::atomic and std::thread: loads, stores, read-modify-writes, compare-exchanges and fences.
#include <atomic>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

static std::atomic<int> memory[26];

static std::memory_order order_named(const std::string &name)
{
    return name == "rlx"   ? std::memory_order_relaxed
           : name == "acq" ? std::memory_order_acquire
           : name == "rel" ? std::memory_order_release
           : name == "ar"  ? std::memory_order_acq_rel
                           : std::memory_order_seq_cst;
}

struct operation {
    std::string kind;
    int variable = 0;
    std::memory_order order = std::memory_order_seq_cst, failure = std::memory_order_seq_cst;
    int value[2] = {0, 0};
};

static std::vector<std::string> split(const std::string &text, char at)
{
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, at);)
        if (!part.empty())
            parts.push_back(part);
    return parts;
}

static operation read_operation(const std::string &text)
{
    operation read;
    auto words = split(text, ' ');
    auto kind = split(words[0], '.');
    read.kind = kind[0];
    if (kind.size() > 1)
        read.order = order_named(kind[1]);
    if (words.size() > 1) {
        auto place = split(words[1], '.');
        read.variable = place[0][0] - 'a';
        if (place.size() > 1)
            read.order = order_named(place[1]);
        if (place.size() > 2)
            read.failure = order_named(place[2]);
    }
    for (size_t i = 2; i < words.size(); i++)
        read.value[i - 2] = std::stoi(words[i]);
    return read;
}

static void perform(const operation &one, std::vector<int> &reads)
{
    auto &place = memory[one.variable];
    int expected = one.value[0];
    if (one.kind == "R") {
        reads.push_back(place.load(one.order));
    } else if (one.kind == "W") {
        place.store(one.value[0], one.order);
    } else if (one.kind == "RMW") {
        reads.push_back(place.fetch_add(1, one.order));
    } else if (one.kind == "SWAP") {
        reads.push_back(place.exchange(one.value[0], one.order));
    } else if (one.kind == "CAS") {
        place.compare_exchange_strong(expected, one.value[1], one.order, one.failure);
        reads.push_back(expected);
    } else {
        std::atomic_thread_fence(one.order);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    std::vector<std::vector<operation>> program;
    for (const auto &body : split(argv[1], '|')) {
        program.emplace_back();
        for (const auto &one : split(body, ';'))
            program.back().push_back(read_operation(one));
    }
    std::vector<std::vector<int>> reads(program.size());
    for (auto &one : reads)
        one.reserve(32);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < program.size(); i++)
        threads.emplace_back([&, i] {
            for (const auto &one : program[i])
                perform(one, reads[i]);
        });
    for (auto &thread : threads)
        thread.join();
    for (const auto &one : reads) {
        for (int value : one)
            std::cout << value << ' ';
        std::cout << '|';
    }
    for (int i = 0; i < 26; i++)
        if (int value = memory[i].load(std::memory_order_relaxed))
            std::cout << static_cast<char>('a' + i) << '=' << value << ' ';
    std::cout << std::endl;
    return 0;
}
