// The Bayesian signed-rank test: a Dirichlet process over the differences.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tare {

// Each row of differences gets draws of the posterior shares (below −rope, within, above rope) of
// the Walsh averages (z_i + z_j)/2, with a pseudo-observation of weight `prior` at 0.
// Returns rows × 6: how many draws have each share largest, then the means of the shares
// (Benavoli, Corani, Demšar and Zaffalon 2017).
std::vector<double> bayesian_signed_rank(std::span<const double> rows, std::size_t items,
                                         double rope, double prior, std::size_t draws,
                                         std::uint64_t seed, unsigned threads);

}  // namespace tare
