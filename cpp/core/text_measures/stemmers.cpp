#include "core/text_measures/stemmers.hpp"

#include <array>
#include <span>
#include <utility>

namespace tare::text {
namespace {

using Rule = std::pair<std::string_view, std::string_view>;

// Of two suffixes that a word may end in, the longer stands first.
constexpr std::array<Rule, 20> step2_rules{
    {{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"},   {"anci", "ance"},
     {"izer", "ize"},    {"bli", "ble"},     {"alli", "al"},     {"entli", "ent"},
     {"eli", "e"},       {"ousli", "ous"},   {"ization", "ize"}, {"ation", "ate"},
     {"ator", "ate"},    {"alism", "al"},    {"iveness", "ive"}, {"fulness", "ful"},
     {"ousness", "ous"}, {"aliti", "al"},    {"iviti", "ive"},   {"biliti", "ble"}}};
constexpr std::array<Rule, 7> step3_rules{{{"icate", "ic"},
                                           {"ative", ""},
                                           {"alize", "al"},
                                           {"iciti", "ic"},
                                           {"ical", "ic"},
                                           {"ful", ""},
                                           {"ness", ""}}};
constexpr std::array<std::string_view, 16> step4_suffixes{
    "al",    "ance", "ence", "er",  "ic",  "able", "ible", "ant",
    "ement", "ou",   "ism",  "ate", "iti", "ous",  "ive",  "ize"};

constexpr bool is_vowel(char c) { return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u'; }

// A y is a consonant at the start and after a vowel; anything that is no vowel letter is one too.
bool is_consonant(std::string_view w, std::size_t i) {
    if (is_vowel(w[i])) return false;
    if (w[i] != 'y') return true;
    std::size_t run = i;
    while (run > 0 && w[run] == 'y') --run;
    const bool first = w[run] == 'y' || !is_vowel(w[run]);
    return first == ((i - run) % 2 == 0);
}

// How often a consonant follows a vowel, Porter's m, counted no further than 2.
int measure(std::string_view w) {
    int m = 0;
    bool vowel_before = false, consonant_before = false;
    for (std::size_t i = 0; i < w.size() && m < 2; ++i) {
        const bool consonant = !is_vowel(w[i]) && (w[i] != 'y' || i == 0 || !consonant_before);
        if (consonant && vowel_before) ++m;
        vowel_before = !consonant;
        consonant_before = consonant;
    }
    return m;
}

bool contains_vowel(std::string_view w) {
    for (std::size_t i = 0; i < w.size(); ++i)
        if (is_vowel(w[i]) || (w[i] == 'y' && i > 0))
            return true;  // the first y after another letter, or a vowel
    return false;
}

bool ends_in_double_consonant(std::string_view w) {
    return w.size() >= 2 && w[w.size() - 1] == w[w.size() - 2] && is_consonant(w, w.size() - 1);
}

// Porter's *o: the end is consonant, vowel, consonant, the last none of w, x, y.
bool ends_cvc(std::string_view w) {
    const std::size_t n = w.size();
    if (n == 2) return !is_consonant(w, 0) && is_consonant(w, 1);  // NLTK's addition
    return n >= 3 && is_consonant(w, n - 3) && !is_consonant(w, n - 2) && is_consonant(w, n - 1) &&
           w[n - 1] != 'w' && w[n - 1] != 'x' && w[n - 1] != 'y';
}

std::string_view without(std::string_view w, std::size_t letters) {
    return w.substr(0, w.size() - letters);
}

void replace_end(std::string& w, std::size_t letters, std::string_view by) {
    w.erase(w.size() - letters);
    w += by;
}

// The first rule whose suffix the word has decides, whether its condition holds or not.
void apply_rules(std::string& w, std::span<const Rule> rules) {
    for (const auto& [suffix, by] : rules) {
        if (!w.ends_with(suffix)) continue;
        if (measure(without(w, suffix.size())) > 0) replace_end(w, suffix.size(), by);
        return;
    }
}

void nltk_step1(std::string& w) {
    if (w.ends_with("ies") && w.size() == 4)
        w.pop_back();
    else if (w.ends_with("sses") || w.ends_with("ies"))
        w.erase(w.size() - 2);
    else if (w.ends_with("s") && !w.ends_with("ss"))
        w.pop_back();

    if (w.ends_with("ied")) {
        w.erase(w.size() - (w.size() == 4 ? 1 : 2));
    } else if (w.ends_with("eed")) {
        if (measure(without(w, 3)) > 0) w.pop_back();
    } else {
        const std::size_t letters = w.ends_with("ed") ? 2 : w.ends_with("ing") ? 3 : 0;
        if (letters > 0 && contains_vowel(without(w, letters))) {
            w.erase(w.size() - letters);
            if (w.ends_with("at") || w.ends_with("bl") || w.ends_with("iz"))
                w += 'e';
            else if (ends_in_double_consonant(w)) {
                if (w.back() != 'l' && w.back() != 's' && w.back() != 'z') w.pop_back();
            } else if (measure(w) == 1 && ends_cvc(w))
                w += 'e';
        }
    }
    if (w.ends_with("y") && w.size() > 2 && is_consonant(w, w.size() - 2)) w.back() = 'i';
}

void nltk_step2(std::string& w) {
    while (w.ends_with("alli") && measure(without(w, 4)) > 0) replace_end(w, 4, "al");
    for (const auto& [suffix, by] : step2_rules)
        if (w.ends_with(suffix)) return apply_rules(w, step2_rules);
    if (w.ends_with("fulli")) {
        if (measure(without(w, 5)) > 0) replace_end(w, 2, "");
    } else if (w.ends_with("logi")) {
        if (measure(without(w, 3)) > 0) w.pop_back();
    }
}

void nltk_step4(std::string& w) {
    for (const std::string_view suffix :
         {"al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion",
          "ou", "ism", "ate", "iti", "ous", "ive", "ize"}) {
        if (!w.ends_with(suffix)) continue;
        const std::string_view stem = without(w, suffix.size());
        if (measure(stem) > 1 && (suffix != "ion" || stem.back() == 's' || stem.back() == 't'))
            w.erase(stem.size());
        return;
    }
}

// The whole word is consonants, a vowel or y, and a last consonant none of w, x, y.
bool is_short_word(std::string_view w) {
    const auto vowel_or_y = [](char c) { return is_vowel(c) || c == 'y'; };
    const std::size_t n = w.size();
    if (n < 3 || vowel_or_y(w[n - 1]) || w[n - 1] == 'w' || w[n - 1] == 'x' ||
        !vowel_or_y(w[n - 2]))
        return false;
    if (is_vowel(w[0])) return false;
    for (std::size_t i = 1; i + 2 < n; ++i)
        if (vowel_or_y(w[i])) return false;
    return true;
}

void lin_step1(std::string& w) {
    if (w.ends_with("sses") || w.ends_with("ies"))
        w.erase(w.size() - 2);
    else if (w.size() > 1 && w.ends_with("s") && !w.ends_with("ss"))
        w.pop_back();

    if (w.ends_with("eed")) {
        if (measure(without(w, 3)) > 0) w.pop_back();
    } else {
        const std::size_t letters = w.ends_with("ed") ? 2 : w.ends_with("ing") ? 3 : 0;
        if (letters > 0 && contains_vowel(without(w, letters))) {
            w.erase(w.size() - letters);
            const std::size_t n = w.size();
            const bool doubled = n >= 2 && w[n - 1] == w[n - 2] && !is_vowel(w[n - 1]) &&
                                 w[n - 1] != 'y' && w[n - 1] != 'l' && w[n - 1] != 's' &&
                                 w[n - 1] != 'z';
            if (w.ends_with("at") || w.ends_with("bl") || w.ends_with("iz"))
                w += 'e';
            else if (doubled)
                w.pop_back();
            else if (is_short_word(w))
                w += 'e';
        }
    }
    if (w.ends_with("y") && contains_vowel(without(w, 1))) w.back() = 'i';
}

void lin_step4(std::string& w) {
    const auto cut = [&w](std::size_t letters) {
        if (measure(without(w, letters)) > 1) w.erase(w.size() - letters);
    };
    for (const std::string_view suffix : step4_suffixes) {
        if (!w.ends_with(suffix)) continue;
        cut(suffix.size());
        break;
    }
    if (w.ends_with("ment")) cut(4);
    if (w.ends_with("ent"))
        cut(3);
    else if (w.ends_with("sion") || w.ends_with("tion"))
        cut(3);
}

}  // namespace

std::string stem_nltk(std::string_view word) {
    static constexpr std::array<Rule, 16> irregular{{{"sky", "sky"},
                                                     {"skies", "sky"},
                                                     {"dying", "die"},
                                                     {"lying", "lie"},
                                                     {"tying", "tie"},
                                                     {"news", "news"},
                                                     {"innings", "inning"},
                                                     {"inning", "inning"},
                                                     {"outings", "outing"},
                                                     {"outing", "outing"},
                                                     {"cannings", "canning"},
                                                     {"canning", "canning"},
                                                     {"howe", "howe"},
                                                     {"proceed", "proceed"},
                                                     {"exceed", "exceed"},
                                                     {"succeed", "succeed"}}};
    for (const auto& [form, stem] : irregular)
        if (word == form) return std::string(stem);
    std::string w(word);
    if (w.size() <= 2) return w;
    nltk_step1(w);
    nltk_step2(w);
    apply_rules(w, step3_rules);
    nltk_step4(w);
    if (w.ends_with("e")) {
        const std::string_view stem = without(w, 1);
        const int m = measure(stem);
        if (m > 1 || (m == 1 && !ends_cvc(stem))) w.pop_back();
    }
    if (w.ends_with("ll") && measure(without(w, 1)) > 1) w.pop_back();
    return w;
}

std::string stem_lin2004(std::string_view word) {
    std::string w(word);
    if (w.size() < 3) return w;
    const bool initial_y = w.front() == 'y';
    if (initial_y) w.front() = 'Y';  // never a vowel
    lin_step1(w);
    if (w.ends_with("logi")) {
        if (measure(without(w, 4)) > 0) w.pop_back();
    } else {
        apply_rules(w, step2_rules);
    }
    apply_rules(w, step3_rules);
    lin_step4(w);
    if (w.ends_with("e")) {
        const std::string_view stem = without(w, 1);
        const int m = measure(stem);
        if (m > 1 || (m == 1 && !is_short_word(stem))) w.pop_back();
    }
    if (w.ends_with("ll") && measure(w) > 1) w.pop_back();
    if (initial_y) w.front() = 'y';
    return w;
}

}  // namespace tare::text
