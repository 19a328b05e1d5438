// The door between Python and the core: check, release the GIL, call.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_arrow(nb::module_& m);
void bind_dictionaries(nb::module_& m);
void bind_diversity(nb::module_& m);
void bind_json_pairs(nb::module_& m);
void bind_letor(nb::module_& m);
void bind_rankers(nb::module_& m);
void bind_resampling(nb::module_& m);
void bind_rows(nb::module_& m);
void bind_seams(nb::module_& m);
void bind_statistics(nb::module_& m);
void bind_judged(nb::module_& m);
void bind_measures(nb::module_& m);
void bind_text(nb::module_& m);

NB_MODULE(_core, m) {
    m.doc() = "The compiled core of tare.";
    // Objects that a module or a default argument holds live until the interpreter ends: no leaks.
    nb::set_leak_warnings(false);
    bind_arrow(m);
    bind_dictionaries(m);
    bind_diversity(m);
    bind_json_pairs(m);
    bind_letor(m);
    bind_rankers(m);
    bind_resampling(m);
    bind_rows(m);
    bind_seams(m);
    bind_statistics(m);
    bind_judged(m);
    bind_measures(m);
    bind_text(m);
}
