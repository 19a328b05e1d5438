// A small net that scores documents, and the gradients of RankNet's and ListNet's losses.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tare {

enum class RankLoss {
    pairs,  // RankNet: Σ log(1 + exp(s(worse) − s(better))) over the pairs of a query
    list,   // ListNet: −Σ softmax(grade) · log softmax(score) over the documents of a query
};

// What the net is, and how wrong its gradient is to be.
//
// Parameters are stored in one row: first weights, feature by feature a number for each hidden
// unit; biases of the hidden units; their weights; the bias of the output. Without hidden units:
// weights and a bias.
struct NetworkShape {
    std::size_t features, hidden;
    bool squashed;  // the output goes through the logistic function too
    bool twice;     // RankLib's slip: the derivative of the logistic function taken at its value

    std::size_t parameters() const {
        return hidden == 0 ? features + 1 : features * hidden + 2 * hidden + 1;
    }
};

struct RankedRows {
    std::span<const float> features;  // row by row
    std::span<const double> grades;
    std::span<const std::int64_t> offsets;
};

// A score for each row.
std::vector<double> network_scores(const NetworkShape& shape, std::span<const double> parameters,
                                   std::span<const float> features, std::size_t rows);

// The loss over all queries; its gradient is added to `gradient`.
double network_gradient(const NetworkShape& shape, std::span<const double> parameters,
                        const RankedRows& rows, RankLoss loss, std::span<double> gradient);

// One epoch of gradient descent, a step a query, in the order given; returns the sum of the losses
// met.
double network_epoch(const NetworkShape& shape, std::span<double> parameters,
                     const RankedRows& rows, RankLoss loss, double rate,
                     std::span<const std::int64_t> order);

}  // namespace tare
