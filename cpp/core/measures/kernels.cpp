#include "core/measures/kernels.hpp"

namespace tare {

const KernelEntry* find_kernel(std::string_view name) {
    using namespace kernels;
    static constexpr KernelEntry entries[] = {
        {"P", precision},
        {"RelP", relative_precision},
        {"Recall", recall},
        {"F", f_measure},
        {"Success", success},
        {"Rprec", r_precision},
        {"Judged", judged_share},
        {"Unjudged", unjudged},
        {"Accuracy", accuracy},
        {"NumRet", num_ret},
        {"NumRel", num_rel},
        {"NumRelRet", num_rel_ret},
        {"NumNonrelRet", num_nonrel_ret},
        {"setP", set_precision},
        {"setRelP", set_relative_precision},
        {"setR", set_recall},
        {"setF", set_f},
        {"setAP", set_ap},
        {"Utility", utility},
        {"RR", reciprocal_rank},
        {"MeanRank", first_rank},
        {"SP", sum_of_precision},
        {"AP", average_precision},
        {"YAAP", yaap},
        {"bpref", bpref},
        {"infAP", inferred_ap},
        {"iPrec", interpolated_precision},
        {"iPrecMean", mean_interpolated_precision},
        {"Q", q_measure},
        {"GAP", graded_ap},
        {"DCG", discounted_gain},
        {"IDCG", ideal_discounted_gain},
        {"nDCG", normalised_gain},
        {"SDCG", scaled_gain},
        {"RBP", rank_biased_precision},
        {"RBPresidual", rank_biased_residual},
        {"nDCGrel", ndcg_at_relevant},
        {"RnDCG", ndcg_at_levels},
        {"G", lagged_gain},
        {"binG", binary_lagged_gain},
        {"ERR", expected_reciprocal_rank},
        {"nERR", normalised_err},
        {"INST", inst, prepare_browsing},
        {"INSQ", insq},
        {"BPM", bejeweled},
        {"NERR8", nerr8},
        {"NERR9", nerr9},
        {"NERR10", nerr10, prepare_browsing},
        {"NERR11", nerr11, prepare_browsing},
        {"Compat", compatibility, prepare_compatibility},
    };
    for (const KernelEntry& entry : entries)
        if (entry.name == name) return &entry;
    return nullptr;
}

}  // namespace tare
