// Texts: Python strings are looked at where they lie, for as long as a call lasts.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>

#include "bindings/arrays.hpp"
#include "core/text_measures/cohesion.hpp"
#include "core/text_measures/drand48.hpp"
#include "core/text_measures/expected_ngrams.hpp"
#include "core/text_measures/fragments.hpp"
#include "core/text_measures/rouge.hpp"
#include "core/text_measures/skip_bigrams.hpp"
#include "core/text_measures/tokeniser.hpp"

namespace nb = nanobind;
using namespace tare;

namespace {

text::Splitting splitting_of(std::string_view name) {
    if (name == "google") return text::Splitting::google;
    if (name == "ascii") return text::Splitting::ascii;
    if (name == "unicode") return text::Splitting::unicode;
    if (name == "blanks") return text::Splitting::blanks;
    if (name == "lines") return text::Splitting::lines;
    throw nb::value_error("unknown splitting");
}

text::Stemmer stemmer_of(std::string_view name) {
    if (name == "none") return text::Stemmer::none;
    if (name == "nltk") return text::Stemmer::nltk;
    if (name == "lin2004") return text::Stemmer::lin2004;
    throw nb::value_error("unknown stemmer");
}

text::Counting counting_of(std::string_view name) {
    using enum text::Counting;
    if (name == "ngrams") return ngrams;
    if (name == "distinct_ngrams") return distinct_ngrams;
    if (name == "lcs") return lcs;
    if (name == "union_lcs") return union_lcs;
    if (name == "weighted_lcs") return weighted_lcs;
    if (name == "weighted_union") return weighted_union;
    if (name == "skip_bigrams") return skip_bigrams;
    if (name == "skip_unigrams") return skip_unigrams;
    if (name == "skip_but_last") return skip_but_last;
    throw nb::value_error("unknown counting");
}

text::RougeSpec spec_of(const std::tuple<std::string, std::int64_t, double>& given) {
    const text::RougeSpec spec{counting_of(std::get<0>(given)), std::get<1>(given),
                               std::get<2>(given)};
    const bool ngram =
        spec.counting == text::Counting::ngrams || spec.counting == text::Counting::distinct_ngrams;
    if (ngram && spec.size < 1) throw nb::value_error("n-grams have at least one token");
    if (spec.size < text::any_gap) throw nb::value_error("a gap is -1, 0 or more");
    if (!(spec.weight > 0)) throw nb::value_error("a weight is positive");
    return spec;
}

// Views into the strings of nested lists and tuples, which outlive them.
struct Texts {
    std::vector<std::string_view> parts;
    std::vector<std::size_t> part_offsets{0}, first{0};

    void add(nb::handle given) {
        if (nb::isinstance<nb::str>(given)) {
            add_part(given);
        } else {
            if (!PyList_Check(given.ptr()) && !PyTuple_Check(given.ptr()))
                throw nb::type_error("a text is a string or a list of strings, its sentences");
            for (const nb::handle part : given) add_part(part);
        }
        part_offsets.push_back(parts.size());
    }
    void end_item() { first.push_back(part_offsets.size() - 1); }
    text::TextItems items() const { return {parts, part_offsets, first}; }

private:
    void add_part(nb::handle given) {
        Py_ssize_t size = 0;
        const char* data = PyUnicode_AsUTF8AndSize(given.ptr(), &size);
        if (data == nullptr) throw nb::python_error();
        parts.emplace_back(data, static_cast<std::size_t>(size));
    }
};

Texts pairs_of(const nb::list& candidates, const nb::list& references) {
    if (candidates.size() != references.size())
        throw nb::value_error("as many candidates as lists of references");
    Texts texts;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        texts.add(candidates[i]);
        if (!PyList_Check(references[i].ptr()) && !PyTuple_Check(references[i].ptr()))
            throw nb::type_error("the references of a candidate are a list");
        for (const nb::handle reference : references[i]) texts.add(reference);
        texts.end_item();
    }
    return texts;
}

Texts singles_of(const nb::list& given) {
    Texts texts;
    for (const nb::handle one : given) {
        texts.add(one);
        texts.end_item();
    }
    return texts;
}

nb::ndarray<nb::numpy, double, nb::ndim<3>> give_counts(std::vector<double>&& values,
                                                        std::size_t measures, std::size_t pairs) {
    auto* owned = new std::vector<double>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    return nb::ndarray<nb::numpy, double, nb::ndim<3>>(owned->data(), {measures, pairs, 3}, owner);
}

void check_lengths(const bindings::In<std::int64_t>& lengths, std::size_t items) {
    if (lengths.size() != items) throw nb::value_error("a length for each item");
    for (const std::int64_t length : bindings::view(lengths))
        if (length < 0) throw nb::value_error("a length is 0 or more");
}

}  // namespace

void bind_text(nb::module_& m) {
    nb::class_<text::Profile>(m, "TextProfile")
        .def(
            "__init__",
            [](text::Profile* self, std::string_view splitting, std::string_view stemmer,
               std::size_t longest_unstemmed, const nb::dict& lexicon,
               const std::vector<std::string>& stop_words, std::size_t most_words,
               std::size_t most_bytes) {
                text::Profile profile;
                profile.splitting = splitting_of(splitting);
                profile.stemmer = stemmer_of(stemmer);
                profile.longest_unstemmed = longest_unstemmed;
                for (const auto& [form, base] : lexicon)
                    profile.lexicon.emplace(nb::cast<std::string>(form),
                                            nb::cast<std::string>(base));
                profile.stop_words.insert(stop_words.begin(), stop_words.end());
                profile.most_words = most_words;
                profile.most_bytes = most_bytes;
                new (self) text::Profile(std::move(profile));
            },
            nb::arg("splitting"), nb::arg("stemmer"), nb::arg("longest_unstemmed"),
            nb::arg("lexicon"), nb::arg("stop_words"), nb::arg("most_words"), nb::arg("most_bytes"))
        .def(
            "tokens",
            [](const text::Profile& self, std::string_view line) {
                std::string scratch;
                std::vector<std::string_view> found;
                text::tokenise(line, self.splitting, scratch, found);
                std::vector<std::string> tokens;
                for (const std::string_view token : found)
                    if (!self.drops(token)) tokens.push_back(self.form_of(token));
                return tokens;
            },
            nb::arg("line"))
        .def("stem", &text::Profile::stemmed, nb::arg("word"));

    m.def(
        "rouge_counts",
        [](const nb::list& candidates, const nb::list& references, const text::Profile& profile,
           const std::vector<std::tuple<std::string, std::int64_t, double>>& measures,
           unsigned threads) {
            std::vector<text::RougeSpec> specs;
            for (const auto& measure : measures) specs.push_back(spec_of(measure));
            const Texts texts = pairs_of(candidates, references);
            const std::size_t pairs = texts.first.back() - (texts.first.size() - 1);
            std::vector<double> counts;
            {
                nb::gil_scoped_release release;
                counts = text::rouge_counts(texts.items(), profile, specs, threads);
            }
            return give_counts(std::move(counts), specs.size(), pairs);
        },
        nb::arg("candidates"), nb::arg("references"), nb::arg("profile"), nb::arg("measures"),
        nb::arg("threads"));

    m.def(
        "expected_ngrams",
        [](const nb::list& sources, const nb::list& references,
           const bindings::In<std::int64_t>& lengths, const text::Profile& profile,
           const std::vector<std::size_t>& sizes, unsigned threads) {
            for (const std::size_t n : sizes)
                if (n < 1 || n > 16) throw nb::value_error("n-grams have 1 to 16 tokens");
            const Texts texts = pairs_of(sources, references);
            check_lengths(lengths, sources.size());
            const std::size_t pairs = texts.first.back() - (texts.first.size() - 1);
            std::vector<double> counts;
            {
                nb::gil_scoped_release release;
                counts = text::expected_ngrams(texts.items(), bindings::view(lengths), profile,
                                               sizes, threads);
            }
            return give_counts(std::move(counts), sizes.size(), pairs);
        },
        nb::arg("sources"), nb::arg("references"), nb::arg("lengths").noconvert(),
        nb::arg("profile"), nb::arg("sizes"), nb::arg("threads"));

    m.def(
        "random_rouge_counts",
        [](const nb::list& sources, const nb::list& references,
           const bindings::In<std::int64_t>& lengths, const bindings::In<std::uint64_t>& streams,
           const text::Profile& profile,
           const std::vector<std::tuple<std::string, std::int64_t, double>>& measures,
           std::size_t samples, std::uint64_t seed, unsigned threads) {
            std::vector<text::RougeSpec> specs;
            for (const auto& measure : measures) specs.push_back(spec_of(measure));
            const Texts texts = pairs_of(sources, references);
            check_lengths(lengths, sources.size());
            if (streams.size() != sources.size()) throw nb::value_error("a stream for each item");
            const text::RandomTexts random{bindings::view(lengths), bindings::view(streams),
                                           samples, seed};
            const std::size_t pairs = samples * (texts.first.back() - (texts.first.size() - 1));
            std::vector<double> counts;
            {
                nb::gil_scoped_release release;
                counts = text::random_rouge_counts(texts.items(), random, profile, specs, threads);
            }
            return give_counts(std::move(counts), specs.size(), pairs);
        },
        nb::arg("sources"), nb::arg("references"), nb::arg("lengths").noconvert(),
        nb::arg("streams").noconvert(), nb::arg("profile"), nb::arg("measures"), nb::arg("samples"),
        nb::arg("seed"), nb::arg("threads"));

    m.def(
        "cohesion",
        [](const nb::list& given, const text::Profile& profile, unsigned threads) {
            const Texts texts = singles_of(given);
            text::Cohesion found;
            {
                nb::gil_scoped_release release;
                found = text::cohesion(texts.items(), profile, threads);
            }
            nb::dict out;
            out["term_entropy"] = bindings::give(std::move(found.term_entropy));
            out["sentence_entropy"] = bindings::give(std::move(found.sentence_entropy));
            out["tokens"] = bindings::give(std::move(found.tokens));
            out["distinct"] = bindings::give(std::move(found.distinct));
            out["sentences"] = bindings::give(std::move(found.sentences));
            out["shared"] = bindings::give(std::move(found.shared));
            out["offsets"] = bindings::give(std::move(found.offsets));
            return out;
        },
        nb::arg("texts"), nb::arg("profile"), nb::arg("threads"));

    m.def(
        "fragment_counts",
        [](const nb::list& summaries, const nb::list& sources, const text::Profile& profile,
           const std::vector<std::size_t>& sizes, unsigned threads) {
            if (summaries.size() != sources.size())
                throw nb::value_error("as many summaries as sources");
            for (std::size_t k = 0; k < sizes.size(); ++k)
                if (sizes[k] < 1 || (k > 0 && sizes[k] < sizes[k - 1]))
                    throw nb::value_error("lengths of n-grams are positive and ascend");
            Texts texts;
            for (std::size_t i = 0; i < summaries.size(); ++i) {
                texts.add(summaries[i]);
                texts.add(sources[i]);
                texts.end_item();
            }
            std::vector<double> counts;
            {
                nb::gil_scoped_release release;
                counts = text::fragment_counts(texts.items(), profile, sizes, threads);
            }
            return bindings::give(std::move(counts), summaries.size(), 4 + 3 * sizes.size());
        },
        nb::arg("summaries"), nb::arg("sources"), nb::arg("profile"), nb::arg("sizes"),
        nb::arg("threads"));

    m.def(
        "drand48_means",
        [](const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& values,
           std::size_t draws) {
            const std::size_t rows = values.shape(0), items = values.shape(1);
            std::vector<double> means;
            {
                nb::gil_scoped_release release;
                means = text::drand48_means({values.data(), rows * items}, rows, items, draws);
            }
            return bindings::give(std::move(means), rows, draws);
        },
        nb::arg("values").noconvert(), nb::arg("draws"));
}
