/* Lists, trees and strings of libstdc++ as an instrumented program has them, against arrays that are kept in order by hand. */
#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <list>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

using Tree =
    std::_Rb_tree<int, int, std::_Identity<int>, std::less<int>>; /* what sets and maps are made of; it can check itself */

static void check(const Tree &tree, const std::vector<int> &model)
{
    assert(tree.__rb_verify());
    assert(std::equal(tree.begin(), tree.end(), model.begin(), model.end()));
    assert(std::equal(tree.rbegin(), tree.rend(), model.rbegin(), model.rend()));
}

static void trees(unsigned rounds)
{
    Tree tree;
    std::vector<int> model;
    for (unsigned i = 0; i < rounds; i++) {
        int key = rand() % 40;
        auto place = std::lower_bound(model.begin(), model.end(), key);
        bool known = place != model.end() && *place == key;
        if (rand() % 2) {
            assert(tree._M_insert_unique(key).second == !known);
            if (!known)
                model.insert(place, key);
        } else {
            assert(tree.erase(key) == known);
            if (known)
                model.erase(place);
        }
        check(tree, model);
    }
}

static void check(const std::list<int> &list, const std::vector<int> &model)
{
    assert(std::equal(list.begin(), list.end(), model.begin(), model.end()));
    assert(std::equal(list.rbegin(), list.rend(), model.rbegin(), model.rend()));
}

static void lists(unsigned rounds)
{
    std::list<int> list, other;
    std::vector<int> model, other_model;
    for (unsigned i = 0; i < rounds; i++) {
        size_t from = model.empty() ? 0 : rand() % model.size(), to = other_model.empty() ? 0 : rand() % other_model.size();
        switch (rand() % 6) {
        case 0:
            list.push_back((int)i);
            model.push_back((int)i);
            break;
        case 1:
            other.insert(std::next(other.begin(), (long)to), (int)i);
            other_model.insert(other_model.begin() + (long)to, (int)i);
            break;
        case 2:
            list.reverse();
            std::reverse(model.begin(), model.end());
            break;
        case 3:
            list.swap(other);
            model.swap(other_model);
            break;
        case 4:
            other.splice(std::next(other.begin(), (long)to), list, std::next(list.begin(), (long)from), list.end());
            other_model.insert(other_model.begin() + (long)to, model.begin() + (long)from, model.end());
            model.resize(from);
            break;
        default:
            if (!model.empty()) {
                list.erase(std::next(list.begin(), (long)from));
                model.erase(model.begin() + (long)from);
            }
        }
        check(list, model);
        check(other, other_model);
    }
}

static void tables(unsigned rounds)
{
    std::unordered_map<std::string, unsigned> table;
    for (unsigned i = 0; i < rounds; i++)
        table["key " + std::to_string(i)] = i;
    for (unsigned i = 0; i < rounds; i++)
        assert(table.at("key " + std::to_string(i)) == i);
    assert(table.size() == rounds);
}

int main()
{
    trees(3000);
    lists(2000);
    tables(500);
    return 0;
}
