#include "core/chance/order_sample.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "core/chance/hypergeometric.hpp"
#include "core/chance/random.hpp"
#include "core/chance/tie_groups.hpp"

namespace tare {
namespace {

// Random orders of one group, as far down as the kernel reads. Places are counted from 0.
class GroupSampler {
public:
    GroupSampler(const Ranking& r, const Spec& s, const TieGroup& g)
        : low_(g.low),
          size_(g.size()),
          judged_(static_cast<std::int64_t>(g.last - g.first)),
          codes_(r.codes.begin() + static_cast<std::ptrdiff_t>(g.first),
                 r.codes.begin() + static_cast<std::ptrdiff_t>(g.last)) {
        const std::int64_t reach = s.reach > 0 ? s.reach : std::numeric_limits<std::int64_t>::max();
        read_ = std::min({g.high, r.retrieved, reach}) - g.low + 1;
        dense_ = judged_ * 4 > size_;
        if (dense_) codes_.resize(static_cast<std::size_t>(size_), unjudged_code);
    }

    std::int64_t size() const { return size_; }
    std::int64_t judged() const { return judged_; }
    std::int64_t read() const { return read_; }

    // Any order, all equally likely.
    void draw(RandomStream& random, Order& order) {
        if (read_ <= 0) return;
        if (dense_) return shuffle(random, order);
        place_from(random, 0, judged_);
        put(random, order);
    }

    // An order whose first judged document is at a place in first…last-1.
    void draw(RandomStream& random, Order& order, std::int64_t first, std::int64_t last) {
        for (;;) {
            if (last == size_) {
                place_from(random, first, judged_);
                break;
            }
            // One stands anywhere in the range, the others anywhere behind its beginning; kept
            // where it is the first of them. So every set of places is as likely as any other.
            const auto mine = first + static_cast<std::int64_t>(
                                          random.below(static_cast<std::uint64_t>(last - first)));
            place_from(random, first + 1, judged_ - 1);
            if (!places_.empty() && places_.front() <= mine) continue;
            places_.insert(places_.begin(), mine);
            break;
        }
        put(random, order);
    }

private:
    // All documents, judged or not, as far as they are read (Fisher and Yates).
    void shuffle(RandomStream& random, Order& order) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(read_); ++i) {
            std::swap(codes_[i], codes_[i + random.below(codes_.size() - i)]);
            if (codes_[i] != unjudged_code)
                order.add(low_ + static_cast<std::int64_t>(i), codes_[i]);
        }
    }

    // The places that `count` documents get from `first` on, ascending, as far as they are read.
    void place_from(RandomStream& random, std::int64_t first, std::int64_t count) {
        places_.clear();
        if (read_ - first < count) {  // place by place: does one stand here?
            for (std::int64_t i = first; i < read_ && count > 0; ++i)
                if (static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(size_ - i))) <
                    count) {
                    places_.push_back(i);
                    --count;
                }
            return;
        }
        // `count` different ones (Floyd): a place that is taken already gives way to the top.
        const auto take_all = [&](auto&& take) {
            for (std::int64_t top = size_ - count; top < size_; ++top)
                if (!take(first + static_cast<std::int64_t>(
                                      random.below(static_cast<std::uint64_t>(top - first + 1)))))
                    take(top);
        };
        if (size_ > 64 * count) {
            taken_.clear();
            take_all([&](std::int64_t place) { return taken_.insert(place).second; });
            places_.assign(taken_.begin(), taken_.end());
            std::sort(places_.begin(), places_.end());
            return;
        }
        bits_.assign(static_cast<std::size_t>(size_ / 64 + 1), 0);
        take_all([&](std::int64_t place) {
            std::uint64_t& word = bits_[static_cast<std::size_t>(place / 64)];
            const std::uint64_t bit = std::uint64_t{1} << (place % 64);
            const bool is_free = (word & bit) == 0;
            word |= bit;
            return is_free;
        });
        for (std::size_t w = 0; w < bits_.size(); ++w)
            for (std::uint64_t word = bits_[w]; word != 0; word &= word - 1)
                places_.push_back(static_cast<std::int64_t>(w) * 64 + std::countr_zero(word));
    }

    // The document at each place.
    void put(RandomStream& random, Order& order) {
        for (std::size_t i = 0; i < places_.size() && places_[i] < read_; ++i) {
            std::swap(codes_[i], codes_[i + random.below(codes_.size() - i)]);
            order.add(low_ + places_[i], codes_[i]);
        }
    }

    std::int64_t low_, size_, judged_, read_ = 0;
    bool dense_ = false;
    std::vector<std::int32_t> codes_;
    std::unordered_set<std::int64_t> taken_;
    std::vector<std::uint64_t> bits_;
    std::vector<std::int64_t> places_;
};

// As many as asked for, but no more than a query with very many documents can have within seconds.
std::int64_t samples_for(const Ranking& r, const OrderOptions& options) {
    constexpr std::int64_t most_work = 100'000'000, least = 100;
    const auto documents = static_cast<std::int64_t>(r.codes.size() + r.pool.size()) + 1;
    return std::min(options.samples, std::max(least, most_work / documents));
}

// Where the ranges of the first judged document's place begin: 0, 1, 2, 4 … as long as it is
// likelier to stand further down; the end of what is read begins the last.
std::vector<std::int64_t> ranges_of(const GroupSampler& group) {
    constexpr std::int64_t few = 64;
    if (group.judged() * few > group.size()) return {0};
    std::vector<std::int64_t> begins{0, 1};
    while (begins.back() < group.read() && begins.back() * group.judged() < group.size())
        begins.push_back(2 * begins.back());
    if (begins.back() > group.read()) begins.back() = group.read();
    return begins;
}

}  // namespace

std::vector<Stratum> sample_orders(const Ranking& r, const Spec& s, Kernel kernel,
                                   const OrderOptions& options, std::uint64_t stream) {
    std::vector<GroupSampler> groups;
    for_each_group(r, [&](const TieGroup& g) { groups.emplace_back(r, s, g); });
    Order order(r);
    const auto value = [&](std::uint64_t n, auto&& draw) {
        RandomStream random(options.seed, stream, n);
        order.clear();
        draw(random);
        return order.evaluate(s, kernel);
    };
    const std::vector<std::int64_t> begins =
        groups.size() == 1 ? ranges_of(groups[0]) : std::vector<std::int64_t>{0};
    std::vector<Stratum> strata(begins.size());
    const std::int64_t samples = samples_for(r, options);
    if (begins.size() == 1) {
        for (std::int64_t n = 0; n < samples; ++n)
            strata[0].values.push_back(
                value(static_cast<std::uint64_t>(n), [&](RandomStream& random) {
                    for (GroupSampler& group : groups) group.draw(random, order);
                }));
        return strata;
    }
    GroupSampler& group = groups[0];
    const auto each = std::max<std::int64_t>(2, samples / static_cast<std::int64_t>(begins.size()));
    double log_before = 0;  // of the probability that the first is in none of the ranges so far
    std::uint64_t n = 0;
    for (std::size_t k = 0; k < begins.size(); ++k) {
        const bool is_last = k + 1 == begins.size();
        const std::int64_t first = begins[k], last = is_last ? group.size() : begins[k + 1];
        const double log_none =
            is_last ? -std::numeric_limits<double>::infinity()
                    : log_probability_of_none(group.size() - first, group.judged(), last - first);
        strata[k].weight = std::exp(log_before) * -std::expm1(log_none);
        log_before += log_none;
        strata[k].constant = first >= group.read();
        for (std::int64_t i = 0; i < (strata[k].constant ? 1 : each); ++i)
            strata[k].values.push_back(
                value(n++, [&](RandomStream& random) { group.draw(random, order, first, last); }));
    }
    return strata;
}

}  // namespace tare
