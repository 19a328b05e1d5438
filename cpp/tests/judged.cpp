// Judgements, and where the judged documents stand.
#include "core/judged.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "check.hpp"
#include "collection.hpp"
#include "core/judging_reader.hpp"
#include "core/text.hpp"

namespace tare::tests {

using Ints = std::vector<std::int32_t>;
using Longs = std::vector<std::int64_t>;

void qrels() {
    const Rows rows = rows_of(
        {{"q2", "a", 0.5}, {"q1", "b", -1}, {"q1", "a", 2}, {"q1", "c", -0.0}, {"q1", "a", 2}});
    const Qrels judgements(rows, 1);
    CHECK(judgements.size() == 2 && judgements.query(0) == "q1" && judgements.query(1) == "q2");
    CHECK(std::ranges::equal(judgements.levels(), std::vector<double>{-1, 0, 0.5, 2}));
    CHECK(judgements.least_judged() == 1);
    CHECK(std::ranges::equal(judgements.offsets(), Longs{0, 3, 4}));
    CHECK(std::ranges::equal(judgements.pool(), Ints{3, 1, 0, 2}));
    CHECK(judgements.find("q2") == 1 && judgements.find("q3") == -1);
    CHECK(judgements.code(0, "a", hash_id("a")) == 3 &&
          judgements.code(0, "z", hash_id("z")) == -1);
    CHECK(judgements.code(1, "b", hash_id("b")) == -1);

    const std::vector<std::string> names{"q1", "q2"};
    const Qrels lent(names, judgements.columns());
    CHECK(lent.query(1) == "q2");
    CHECK(lent.find("q2") == 1 && lent.least_judged() == 1);
    CHECK(lent.code(0, "a", hash_id("a")) == 3 && lent.code(1, "a", hash_id("a")) == 2);
    CHECK(lent.code(1, "b", hash_id("b")) == -1);
    Qrels::Columns torn = judgements.columns();
    torn.docs = torn.docs.first(torn.docs.size() - 1);
    bool refused = false;
    try {
        const Qrels none(names, torn);
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    CHECK(refused);

    const Duplicates twice = rows.duplicates(1, 5);
    CHECK(twice.count == 1 && twice.conflict_count == 0);
    CHECK(twice.first[0].doc == "a" && twice.first[0].line == 5 &&
          twice.first[0].earlier_line == 3);
    const Rows other = rows_of({{"q1", "a", 1}, {"q1", "a", 1}, {"q1", "a", 2}, {"q2", "a", 3}});
    const Duplicates conflicts = other.duplicates(2, 1);
    CHECK(conflicts.count == 2 && conflicts.conflict_count == 1);
    CHECK(conflicts.first.size() == 1 && conflicts.conflicts[0].line == 3);
    CHECK(rows.digest(1) == rows.digest(3) && rows.digest(1) != other.digest(1));
}

void judged() {
    const Rows judgements = rows_of({{"q1", "a", 1},
                                     {"q1", "b", 0},
                                     {"q1", "c", 2},
                                     {"q1", "n", -1},
                                     {"q2", "a", 1},
                                     {"q3", "a", 1}});
    const Qrels known(judgements, 1);
    const Rows run = rows_of({{"q1", "x", 3},
                              {"q1", "b", 1},
                              {"q1", "a", 1},
                              {"q1", "c", 2},
                              {"q1", "n", 2.5},
                              {"q2", "y", 1},
                              {"other", "a", 1}});
    JudgeOptions options;
    options.threads = 2;
    // Descending scores; b and a are tied, b has the larger id.
    const Judged trec = judge(known, run, options);
    CHECK((trec.offsets == Longs{0, 4, 4, 4}));
    CHECK((trec.ranks == Ints{2, 3, 4, 5}));
    CHECK((trec.codes == Ints{0, 3, 1, 2}));
    CHECK((trec.retrieved == Longs{5, 1, 0}));
    CHECK((trec.tied == Longs{2, 0, 0}));
    CHECK((trec.present == std::vector<std::uint8_t>{1, 1, 0}));
    CHECK(trec.lows.empty());
    // Ties broken, and where their groups end all the same; a depth may cut a group.
    options.groups = true;
    const Judged grouped = judge(known, run, options);
    CHECK(grouped.ranks == trec.ranks && grouped.codes == trec.codes);
    CHECK((grouped.lows == Longs{2, 3, 4, 4}) && (grouped.highs == Longs{2, 3, 5, 5}));
    options.depth = 4;
    CHECK((judge(known, run, options).highs == Longs{2, 3, 5}));
    options = {};
    options.threads = 2;

    options.ties = Ties::order;
    CHECK((judge(known, run, options).codes == Ints{1, 2, 3, 0}));
    options.ties = Ties::expected;
    const Judged open = judge(known, run, options);
    CHECK((open.lows == Longs{2, 3, 4, 4}) && (open.highs == Longs{2, 3, 5, 5}));
    CHECK((open.codes == Ints{0, 3, 2, 1}));

    options = {};
    options.condensed = true;
    const Judged condensed = judge(known, run, options);
    CHECK((condensed.ranks == Ints{1, 2, 3}) && (condensed.codes == Ints{3, 1, 2}));
    CHECK((condensed.retrieved == Longs{3, 0, 0}));
    options = {};
    options.depth = 3;
    CHECK((judge(known, run, options).ranks == Ints{2, 3}));
    options = {};
    options.single_precision = true;
    const Rows close = rows_of({{"q2", "b", 1.0}, {"q2", "a", 1.0 + 1e-12}});
    CHECK((judge(known, close, options).ranks == Ints{2}));
    CHECK((judge(known, close, {}).ranks == Ints{1}));

    const std::string text =
        "q1 Q0 x 1 3 t\nq1 Q0 n 2 2.5 t\nq1 Q0 c 3 2 t\nq1 Q0 b 4 1 t\nq1 Q0 a 5 1 t\nq2 Q0 y 1 1 "
        "t\nother Q0 a 1 1 t\n";
    for (const std::size_t size : {std::size_t{1}, std::size_t{9}, text.size()}) {
        JudgingReader reader(known, {});
        for (std::size_t i = 0; i < text.size(); i += size)
            reader.feed(std::string_view(text).substr(i, size));
        reader.finish();
        const Judged read = reader.judged();
        CHECK(read.ranks == trec.ranks && read.codes == trec.codes &&
              read.retrieved == trec.retrieved);
        CHECK(!reader.interleaved() && reader.rows() == 7 && reader.unknown().count("other") == 1);
    }
    JudgingReader mixed(known, {});
    mixed.feed("q1 Q0 a 1 3 t\nq2 Q0 a 1 3 t\nq1 Q0 b 2 1 t\n");
    mixed.finish();
    CHECK(mixed.interleaved());
}

}  // namespace tare::tests
