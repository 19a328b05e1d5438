#include "core/id_order.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "core/seams.hpp"
#include "core/threads.hpp"

namespace tare {
namespace {

// The first eight bytes as a number: where two differ, they are in the order of the ids.
std::uint64_t first_bytes(std::string_view id) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 8; ++i)
        word = word << 8 | (i < id.size() ? static_cast<unsigned char>(id[i]) : 0U);
    return word;
}

// How many bytes all ids have in common at their beginning.
std::size_t common_prefix(const IdTable& ids) {
    std::size_t common = ids[0].size();
    for (std::size_t i = 1; i < ids.size() && common > 0; ++i) {
        const std::string_view id = ids[i];
        common = std::min(common, id.size());
        common = static_cast<std::size_t>(
            std::mismatch(id.begin(), id.begin() + static_cast<std::ptrdiff_t>(common),
                          ids[0].begin())
                .first -
            id.begin());
    }
    return common;
}

}  // namespace

std::vector<std::uint32_t> ascending(const IdTable& ids, unsigned threads) {
    const std::size_t n = ids.size();
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    std::size_t sorted = 1;
    while (sorted < n && ids[sorted - 1] < ids[sorted]) ++sorted;
    if (sorted >= n) return order;
    struct Key {
        std::uint64_t first;
        std::uint32_t number;
    };
    const std::size_t common = common_prefix(ids);
    const auto before = [&](const Key& a, const Key& b) {
        return a.first != b.first ? a.first < b.first : ids[a.number] < ids[b.number];
    };
    // Parts are sorted at the same time, and then joined two by two.
    const std::size_t parts =
        std::min<std::size_t>(thread_count(threads), (n + seams.sorted_ids - 1) / seams.sorted_ids);
    const auto cut = [&](std::size_t part) {
        return static_cast<std::ptrdiff_t>(n * std::min(part, parts) / parts);
    };
    std::vector<Key> keys(n);
    for_each_index(parts, threads, 1, [&](std::size_t part) {
        for (auto i = static_cast<std::size_t>(cut(part));
             i < static_cast<std::size_t>(cut(part + 1)); ++i)
            keys[i] = {first_bytes(ids[i].substr(common)), static_cast<std::uint32_t>(i)};
        std::sort(keys.begin() + cut(part), keys.begin() + cut(part + 1), before);
    });
    for (std::size_t width = 1; width < parts; width *= 2)
        for (std::size_t part = 0; part + width < parts; part += 2 * width)
            std::inplace_merge(keys.begin() + cut(part), keys.begin() + cut(part + width),
                               keys.begin() + cut(part + 2 * width), before);
    std::transform(keys.begin(), keys.end(), order.begin(),
                   [](const Key& key) { return key.number; });
    return order;
}

}  // namespace tare
