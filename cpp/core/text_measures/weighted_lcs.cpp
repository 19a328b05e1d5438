#include "core/text_measures/weighted_lcs.hpp"

#include <algorithm>
#include <cmath>

#include "core/seams.hpp"

namespace tare::text {

double WeightedLcs::f(std::size_t run) {
    while (powers_.size() <= run)
        powers_.push_back(std::pow(static_cast<double>(powers_.size()), weight_));
    return powers_[run];
}

void WeightedLcs::advance(std::uint32_t token, Tokens candidate, std::vector<bool>* ups,
                          std::size_t at) {
    double diagonal = 0;
    std::uint32_t run_before = 0;
    for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const double up = values_[j];
        const std::uint32_t run = runs_[j];
        if (candidate[j - 1] == token) {
            values_[j] = diagonal + f(run_before + 1) - f(run_before);
            runs_[j] = run_before + 1;
        } else {
            const bool goes_up = up >= values_[j - 1];
            values_[j] = goes_up ? up : values_[j - 1];
            runs_[j] = 0;
            if (ups != nullptr) (*ups)[at + j - 1] = goes_up;
        }
        diagonal = up;
        run_before = run;
    }
}

double WeightedLcs::value(Tokens reference, Tokens candidate) {
    // A run is valued as a whole on top of what stood before it, so that no rounding adds up and a
    // text against itself is worth f(length) to the last bit.
    const std::size_t n = candidate.size();
    std::vector<double> before(n + 1, 0);
    values_.assign(n + 1, 0);
    runs_.assign(n + 1, 0);
    for (const std::uint32_t token : reference) {
        double diagonal = 0, diagonal_before = 0;
        std::uint32_t run_before = 0;
        for (std::size_t j = 1; j <= n; ++j) {
            const double up = values_[j], up_before = before[j];
            const std::uint32_t run = runs_[j];
            if (candidate[j - 1] == token) {
                before[j] = run_before == 0 ? diagonal : diagonal_before;
                runs_[j] = run_before + 1;
                values_[j] = before[j] + f(runs_[j]);
            } else {
                values_[j] = std::max(up, values_[j - 1]);
                runs_[j] = 0;
            }
            diagonal = up, diagonal_before = up_before, run_before = run;
        }
    }
    return values_.back();
}

// As for the plain subsequence, rows are kept at intervals; a direction takes a bit.
void WeightedLcs::mark(Tokens reference, Tokens candidate, std::vector<bool>& marked) {
    const std::size_t m = reference.size(), n = candidate.size();
    if (m == 0 || n == 0) return;
    const bool small = m * n <= seams.weighted_cells;
    const std::size_t interval =
        small ? m : static_cast<std::size_t>(std::sqrt(96.0 * static_cast<double>(m))) + 1;
    std::vector<std::vector<double>> kept_values;
    std::vector<std::vector<std::uint32_t>> kept_runs;
    values_.assign(n + 1, 0);
    runs_.assign(n + 1, 0);
    for (std::size_t i = 0; i < m; ++i) {
        if (i % interval == 0) {
            kept_values.push_back(values_);
            kept_runs.push_back(runs_);
            if (i + interval >= m) break;
        }
        advance(reference[i], candidate, nullptr, 0);
    }
    std::vector<bool> ups(std::min(interval, m) * n);
    std::size_t j = n;
    for (std::size_t block = kept_values.size(); block-- > 0 && j > 0;) {
        const std::size_t first = block * interval, last = std::min(m, first + interval);
        values_ = kept_values[block];
        runs_ = kept_runs[block];
        for (std::size_t i = first; i < last; ++i)
            advance(reference[i], candidate, &ups, (i - first) * n);
        for (std::size_t i = last; i > first && j > 0;) {
            if (reference[i - 1] == candidate[j - 1]) {
                --i, --j;
                marked[i] = true;
            } else if (ups[(i - 1 - first) * n + j - 1]) {
                --i;
            } else {
                --j;
            }
        }
    }
}

}  // namespace tare::text
