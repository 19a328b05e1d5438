#include "core/rankers/network.hpp"

#include <algorithm>
#include <cmath>

namespace tare {

namespace {

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// One query at a time: forwards, the derivative of the loss by each score, backwards.
class Pass {
public:
    Pass(const NetworkShape& shape, const RankedRows& rows, RankLoss loss)
        : shape_(shape), rows_(rows), loss_(loss) {}

    double add_gradient(std::size_t q, const double* p, double* gradient) {
        const auto begin = static_cast<std::size_t>(rows_.offsets[q]),
                   end = static_cast<std::size_t>(rows_.offsets[q + 1]);
        const std::size_t n = end - begin;
        scores_.resize(n);
        slopes_.assign(n, 0.0);
        units_.resize(n * shape_.hidden);
        for (std::size_t d = 0; d < n; ++d)
            scores_[d] = forward(row(begin + d), p, units_.data() + d * shape_.hidden);
        const double* const grades = rows_.grades.data() + begin;
        const double loss =
            loss_ == RankLoss::pairs ? pair_slopes(grades, n) : list_slopes(grades, n);
        for (std::size_t d = 0; d < n; ++d)
            if (slopes_[d] != 0) backward(row(begin + d), d, p, gradient);
        return loss;
    }

    double forward(const float* x, const double* p, double* units) const {
        const std::size_t f = shape_.features, h = shape_.hidden;
        double out;
        if (h == 0) {
            double sums[4] = {};  // four chains of additions instead of one
            std::size_t i = 0;
            for (; i + 4 <= f; i += 4)
                for (std::size_t j = 0; j < 4; ++j)
                    sums[j] += p[i + j] * static_cast<double>(x[i + j]);
            for (; i < f; ++i) sums[0] += p[i] * static_cast<double>(x[i]);
            out = p[f] + ((sums[0] + sums[1]) + (sums[2] + sums[3]));
        } else {
            const double* const bias = p + f * h;
            std::copy(bias, bias + h, units);
            for (std::size_t i = 0; i < f; ++i) {
                const double value = static_cast<double>(x[i]);
                if (value == 0) continue;  // most features of many data are 0
                const double* const w = p + i * h;
                for (std::size_t u = 0; u < h; ++u) units[u] += w[u] * value;
            }
            const double* const second = bias + h;
            out = second[h];
            for (std::size_t u = 0; u < h; ++u) {
                units[u] = logistic(units[u]);
                out += second[u] * units[u];
            }
        }
        return shape_.squashed ? logistic(out) : out;
    }

private:
    static constexpr double widest = 600;  // of scores, for exp to stay in range
    static constexpr double much = 1e30;   // and a factor more, up to exp(600), is still a number

    const float* row(std::size_t r) const { return rows_.features.data() + r * shape_.features; }

    // The derivative of the logistic function, from its value.
    double derivative(double value) const {
        if (shape_.twice) value = logistic(value);
        return value * (1 - value);
    }

    double pair_slopes(const double* grades, std::size_t n) {
        const auto [low, high] = std::minmax_element(scores_.begin(), scores_.end());
        if (n == 0 || *high - *low > widest) return far_pair_slopes(grades, n);
        // exp(s(j) − s(i)) is a product of two numbers of single documents, and the sum of
        // logarithms one logarithm of a product, taken before it grows out of range.
        const double middle = (*low + *high) / 2;
        up_.resize(n);
        down_.resize(n);
        for (std::size_t d = 0; d < n; ++d) {
            up_[d] = std::exp(scores_[d] - middle);
            down_[d] = std::exp(middle - scores_[d]);
        }
        double loss = 0, product = 1;
        for (std::size_t i = 0; i < n; ++i) {
            double sum = 0;
            for (std::size_t j = 0; j < n; ++j)
                if (grades[i] > grades[j]) {
                    const double ratio = up_[j] * down_[i];
                    const double slope = ratio / (1 + ratio);
                    sum += slope;
                    slopes_[j] += slope;
                    product *= 1 + ratio;
                    if (product > much) {
                        loss += std::log(product);
                        product = 1;
                    }
                }
            slopes_[i] -= sum;
        }
        return loss + std::log(product);
    }

    double far_pair_slopes(const double* grades, std::size_t n) {
        double loss = 0;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                if (grades[i] > grades[j]) {
                    const double gap = scores_[j] - scores_[i];
                    const double e = std::exp(-std::abs(gap));
                    loss += std::max(gap, 0.0) + std::log1p(e);
                    const double slope = (gap > 0 ? 1.0 : e) / (1 + e);
                    slopes_[i] -= slope;
                    slopes_[j] += slope;
                }
        return loss;
    }

    double list_slopes(const double* grades, std::size_t n) {
        if (n == 0) return 0;
        const double most = *std::max_element(grades, grades + n);
        const double best = *std::max_element(scores_.begin(), scores_.end());
        up_.resize(n);
        down_.resize(n);
        double wanted = 0, given = 0;
        for (std::size_t d = 0; d < n; ++d) {
            // Neighbours mostly have the same grade.
            up_[d] = d > 0 && grades[d] == grades[d - 1] ? up_[d - 1] : std::exp(grades[d] - most);
            wanted += up_[d];
            down_[d] = std::exp(scores_[d] - best);
            given += down_[d];
        }
        const double total = std::log(given);
        double loss = 0;
        for (std::size_t d = 0; d < n; ++d) {
            const double target = up_[d] / wanted;
            loss -= target * (scores_[d] - best - total);
            slopes_[d] = down_[d] / given - target;
        }
        return loss;
    }

    void backward(const float* x, std::size_t d, const double* p, double* gradient) {
        const std::size_t f = shape_.features, h = shape_.hidden;
        double slope = slopes_[d];
        if (shape_.squashed) slope *= derivative(scores_[d]);
        if (h == 0) {
            for (std::size_t i = 0; i < f; ++i) gradient[i] += slope * static_cast<double>(x[i]);
            gradient[f] += slope;
            return;
        }
        const double* const units = units_.data() + d * h;
        const double* const second = p + f * h + h;
        double* const bias = gradient + f * h;
        inner_.resize(h);
        for (std::size_t u = 0; u < h; ++u) {
            inner_[u] = slope * second[u] * derivative(units[u]);
            bias[u] += inner_[u];
            bias[h + u] += slope * units[u];
        }
        bias[2 * h] += slope;
        for (std::size_t i = 0; i < f; ++i) {
            const double value = static_cast<double>(x[i]);
            if (value == 0) continue;
            double* const g = gradient + i * h;
            for (std::size_t u = 0; u < h; ++u) g[u] += inner_[u] * value;
        }
    }

    const NetworkShape& shape_;
    const RankedRows& rows_;
    RankLoss loss_;
    std::vector<double> scores_, slopes_, units_, inner_, up_, down_;
};

}  // namespace

std::vector<double> network_scores(const NetworkShape& shape, std::span<const double> parameters,
                                   std::span<const float> features, std::size_t rows) {
    const RankedRows none{features, {}, {}};
    const Pass pass(shape, none, RankLoss::pairs);
    std::vector<double> units(shape.hidden), scores(rows);
    for (std::size_t r = 0; r < rows; ++r)
        scores[r] =
            pass.forward(features.data() + r * shape.features, parameters.data(), units.data());
    return scores;
}

double network_gradient(const NetworkShape& shape, std::span<const double> parameters,
                        const RankedRows& rows, RankLoss loss, std::span<double> gradient) {
    Pass pass(shape, rows, loss);
    double total = 0;
    for (std::size_t q = 0; q + 1 < rows.offsets.size(); ++q)
        total += pass.add_gradient(q, parameters.data(), gradient.data());
    return total;
}

double network_epoch(const NetworkShape& shape, std::span<double> parameters,
                     const RankedRows& rows, RankLoss loss, double rate,
                     std::span<const std::int64_t> order) {
    Pass pass(shape, rows, loss);
    std::vector<double> gradient(parameters.size());
    double total = 0;
    for (const std::int64_t q : order) {
        std::fill(gradient.begin(), gradient.end(), 0.0);
        total += pass.add_gradient(static_cast<std::size_t>(q), parameters.data(), gradient.data());
        for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] -= rate * gradient[i];
    }
    return total;
}

}  // namespace tare
