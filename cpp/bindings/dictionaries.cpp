// Rankings in Python dictionaries, joined with judgements in dictionaries, as trec_eval 9 orders
// them.
//
// Most documents of a ranking are not judged. Their ids are not read: a dictionary finds the judged
// ones, and the scores alone tell their ranks. Ids are compared only if a judged document is tied.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "bindings/arrays.hpp"
#include "core/hit_ranks.hpp"

namespace nb = nanobind;
using namespace tare;

namespace {

struct Hit {
    std::int32_t rank, code;
};

struct Document {
    float score;
    std::int32_t code;  // -1 = not judged
    std::string_view id;
};

// A subclass of str may hash and compare by Python code, which can change the dictionaries that are
// read here.
void check_id(PyObject* id) {
    if (!PyUnicode_CheckExact(id)) throw nb::type_error("a document id is not a plain string");
}

float score_of(PyObject* value) {
    double score = 0;
    if (PyFloat_Check(value)) {
        score = PyFloat_AS_DOUBLE(value);
    } else if (PyLong_Check(value)) {
        score = PyLong_AsDouble(value);
        if (score == -1.0 && PyErr_Occurred()) throw nb::python_error();
    } else {
        throw nb::type_error("a score is not a number");
    }
    if (std::isnan(score)) throw nb::value_error("a score is NaN");
    constexpr double largest = std::numeric_limits<float>::max();
    if (score > largest) return std::numeric_limits<float>::infinity();
    if (score < -largest) return -std::numeric_limits<float>::infinity();
    return static_cast<float>(score);
}

PyObject* find(PyObject* dictionary, PyObject* key) {
    PyObject* found = PyDict_GetItemWithError(dictionary, key);
    if (!found && PyErr_Occurred()) throw nb::python_error();
    return found;
}

std::int32_t code_of(PyObject* value) {
    const long code = PyLong_AsLong(value);
    if (code == -1 && PyErr_Occurred()) throw nb::python_error();
    return static_cast<std::int32_t>(code);
}

// The ranks of the judged documents of one query.
class Joiner {
public:
    const std::vector<Hit>& join(PyObject* codes, PyObject* ranking) {
        hits_.clear();
        scores_.clear();
        hit_scores_.clear();
        if (PyDict_GET_SIZE(codes) <= PyDict_GET_SIZE(ranking)) {
            by_judgement(codes, ranking);
        } else {
            by_document(codes, ranking);
        }
        ranks_.resize(hits_.size());
        if (rank_hits(scores_, hit_scores_, ranks_)) {
            for (std::size_t h = 0; h < hits_.size(); ++h) hits_[h].rank = ranks_[h];
            std::sort(hits_.begin(), hits_.end(),
                      [](const Hit& a, const Hit& b) { return a.rank < b.rank; });
        } else {
            sort_all(codes, ranking);
        }
        return hits_;
    }

private:
    void add_hit(float score, PyObject* code) {
        hits_.push_back({0, code_of(code)});
        hit_scores_.push_back(score);
    }

    void by_judgement(PyObject* codes, PyObject* ranking) {
        PyObject *id, *value;
        Py_ssize_t at = 0;
        while (PyDict_Next(ranking, &at, &id, &value)) {
            check_id(id);
            scores_.push_back(score_of(value));
        }
        at = 0;
        while (PyDict_Next(codes, &at, &id, &value))
            if (PyObject* score = find(ranking, id)) add_hit(score_of(score), value);
    }

    void by_document(PyObject* codes, PyObject* ranking) {
        PyObject *id, *value;
        Py_ssize_t at = 0;
        while (PyDict_Next(ranking, &at, &id, &value)) {
            check_id(id);
            const float score = score_of(value);
            scores_.push_back(score);
            if (PyObject* code = find(codes, id)) add_hit(score, code);
        }
    }

    void sort_all(PyObject* codes, PyObject* ranking) {
        documents_.clear();
        PyObject *id, *value;
        Py_ssize_t at = 0;
        while (PyDict_Next(ranking, &at, &id, &value)) {
            check_id(id);
            Py_ssize_t size = 0;
            const char* text = PyUnicode_AsUTF8AndSize(id, &size);
            if (!text) throw nb::python_error();
            PyObject* code = find(codes, id);
            documents_.push_back({score_of(value),
                                  code ? code_of(code) : -1,
                                  {text, static_cast<std::size_t>(size)}});
        }
        std::sort(documents_.begin(), documents_.end(), [](const Document& a, const Document& b) {
            return a.score != b.score ? a.score > b.score : a.id > b.id;
        });
        hits_.clear();
        for (std::size_t i = 0; i < documents_.size(); ++i)
            if (documents_[i].code >= 0)
                hits_.push_back({static_cast<std::int32_t>(i + 1), documents_[i].code});
    }

    std::vector<Hit> hits_;
    std::vector<float> scores_, hit_scores_;
    std::vector<std::int32_t> ranks_;
    std::vector<Document> documents_;
};

nb::tuple judge_dicts(const nb::list& codes, const nb::list& rankings) {
    if (codes.size() != rankings.size())
        throw nb::value_error("codes and rankings differ in length");
    std::vector<std::int64_t> offsets{0}, retrieved;
    std::vector<std::int32_t> ranks, hit_codes;
    Joiner joiner;
    for (std::size_t q = 0; q < codes.size(); ++q) {
        const nb::object judged = codes[q], ranking = rankings[q];
        if (!PyDict_Check(judged.ptr()) || !PyDict_Check(ranking.ptr()))
            throw nb::type_error("a ranking is not a dictionary");
        for (const Hit& hit : joiner.join(judged.ptr(), ranking.ptr())) {
            ranks.push_back(hit.rank);
            hit_codes.push_back(hit.code);
        }
        offsets.push_back(static_cast<std::int64_t>(ranks.size()));
        retrieved.push_back(PyDict_GET_SIZE(ranking.ptr()));
    }
    return nb::make_tuple(bindings::give(std::move(offsets)), bindings::give(std::move(ranks)),
                          bindings::give(std::move(hit_codes)),
                          bindings::give(std::move(retrieved)));
}

}  // namespace

void bind_dictionaries(nb::module_& m) {
    m.def("judge_dicts", &judge_dicts, nb::arg("codes"), nb::arg("rankings"),
          "Offsets, ranks, codes and lengths of {document: score} rankings joined with {document: "
          "code} "
          "judgements. TypeError unless the ids of rankings are of type str and scores numbers, "
          "ValueError for NaN.");
}
