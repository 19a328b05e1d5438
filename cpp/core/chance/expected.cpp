#include "core/chance/expected.hpp"

namespace tare {

Kernel find_expected(std::string_view name) {
    struct Entry {
        std::string_view name;
        Kernel mean;
    };
    static constexpr Entry entries[] = {
        {"P", expected::precision},
        {"RelP", expected::relative_precision},
        {"Recall", expected::recall},
        {"F", expected::f_measure},
        {"Success", expected::success},
        {"Rprec", expected::r_precision},
        {"Judged", expected::judged_share},
        {"Unjudged", expected::unjudged},
        {"Accuracy", expected::accuracy},
        {"NumRet", kernels::num_ret},
        {"NumRel", kernels::num_rel},
        {"NumRelRet", expected::num_rel_ret},
        {"NumNonrelRet", expected::num_nonrel_ret},
        {"setP", expected::set_precision},
        {"setRelP", expected::set_relative_precision},
        {"setR", expected::set_recall},
        {"setF", expected::set_f},
        {"setAP", expected::set_ap},
        {"Utility", expected::utility},
        {"RR", expected::reciprocal_rank},
        {"MeanRank", expected::first_rank},
        {"SP", expected::sum_of_precision},
        {"AP", expected::average_precision},
        {"bpref", expected::bpref},
        {"infAP", expected::inferred_ap},
        {"Q", expected::q_measure},
        {"GAP", expected::graded_ap},
        {"DCG", expected::discounted_gain},
        {"IDCG", kernels::ideal_discounted_gain},
        {"nDCG", expected::normalised_gain},
        {"SDCG", expected::scaled_gain},
        {"RBP", expected::rank_biased_precision},
        {"RBPresidual", expected::rank_biased_residual},
        {"RnDCG", expected::ndcg_at_levels},
        {"binG", expected::binary_lagged_gain},
        {"ERR", expected::expected_reciprocal_rank},
        {"nERR", expected::normalised_err},
        {"INSQ", expected::insq},
        {"Compat", expected::compatibility},
    };
    for (const Entry& entry : entries)
        if (entry.name == name) return entry.mean;
    return nullptr;
}

}  // namespace tare
