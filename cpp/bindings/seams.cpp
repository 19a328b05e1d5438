// Sizes of blocks and shares, and the usual number of threads: set by Python, read by the core.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include <array>
#include <string_view>
#include <utility>

#include "core/line_blocks.hpp"
#include "core/seams.hpp"
#include "core/threads.hpp"

namespace nb = nanobind;
using namespace tare;

namespace {

constexpr std::array<std::pair<std::string_view, std::size_t Seams::*>, 14> sizes{{
    {"judging_share", &Seams::judging_share},
    {"trec_share", &Seams::trec_share},
    {"letor_batch", &Seams::letor_batch},
    {"letor_share", &Seams::letor_share},
    {"segment_rows", &Seams::segment_rows},
    {"sorted_ids", &Seams::sorted_ids},
    {"json_rows", &Seams::json_rows},
    {"subsequence_words", &Seams::subsequence_words},
    {"weighted_cells", &Seams::weighted_cells},
    {"skip_pairs", &Seams::skip_pairs},
    {"vocabulary_bytes", &Seams::vocabulary_bytes},
    {"alpha_rows", &Seams::alpha_rows},
    {"subsets", &Seams::subsets},
    {"grain", &Seams::grain},
}};

}  // namespace

void bind_seams(nb::module_& m) {
    m.def(
        "seams",
        [] {
            nb::dict found;
            for (const auto& [name, member] : sizes)
                found[nb::str(name.data(), name.size())] = seams.*member;
            found["deal"] = seams.deal;
            return found;
        },
        "The sizes in use.");
    m.def(
        "set_seam",
        [](std::string_view name, std::size_t size) {
            if (name == "deal") {
                seams.deal = size != 0;
                return;
            }
            for (const auto& [known, member] : sizes)
                if (known == name) {
                    if (size == 0 && name != "grain") throw nb::value_error("a size is 1 or more");
                    seams.*member = size;
                    return;
                }
            throw nb::value_error("no such size");
        },
        nb::arg("name"), nb::arg("size"));
    m.def(
        "texts_cut", [] { return texts_cut.load(); },
        "How many texts were cut into two shares or more so far.");
    m.def(
        "threads", [] { return thread_count(0); },
        "How many threads are used where a call asks for 0.");
    m.def(
        "set_threads", [](unsigned threads) { default_threads = threads; }, nb::arg("threads"),
        "How many threads are used where a call asks for 0; 0 = as many as the machine has.");
}
