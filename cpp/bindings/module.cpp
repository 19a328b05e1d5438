// The door between Python and the core: check, release the GIL, call.
#include <nanobind/nanobind.h>

#include <chrono>
#include <thread>

#include "core/threads.hpp"

namespace nb = nanobind;

namespace {

// Signals are handled by the thread that loaded this module, the main one. No other may ask for the
// GIL here: the main thread may hold it while it waits for them.
const std::thread::id main_thread = std::this_thread::get_id();

void stop_after_a_signal() {
    using clock = std::chrono::steady_clock;
    static clock::time_point last = clock::now();
    if (std::this_thread::get_id() != main_thread) return;
    const clock::time_point now = clock::now();
    if (now - last < std::chrono::milliseconds(100)) return;
    last = now;
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace

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
    tare::stop_if_asked = stop_after_a_signal;
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
