// Ten lines cut everywhere: the same results whatever the shares, and no memory that two threads
// write.
#include "core/seams.hpp"

#include <string>
#include <vector>

#include "check.hpp"
#include "collection.hpp"
#include "core/chance/random.hpp"
#include "core/judging_reader.hpp"
#include "core/letor.hpp"
#include "core/row_chunks.hpp"
#include "core/trec_text.hpp"

namespace tare::tests {
namespace {

// Sets the sizes for a while and puts the old ones back.
class Cut {
public:
    explicit Cut(const Seams& sizes) : before_(seams) { seams = sizes; }
    ~Cut() { seams = before_; }

private:
    Seams before_;
};

Seams drawn(std::uint64_t seed) {
    RandomStream random(seed, 1);
    Seams s;
    s.judging_share = 1 + random.below(150);
    s.trec_share = 1 + random.below(100);
    s.letor_batch = 1 + random.below(150);
    s.letor_share = 1 + random.below(60);
    s.segment_rows = 1 + random.below(6);
    s.sorted_ids = 1 + random.below(3);
    s.grain = random.below(4);
    s.deal = random.below(2) == 1;
    return s;
}

// Lines of three queries: together, or in turn, so that each query is in the middle of several
// shares.
std::string run_text(bool interleaved) {
    std::string text;
    for (int i = 0; i < 12; ++i)
        text += "q" + std::to_string(interleaved ? i % 3 : i / 4) + " Q0 d" + std::to_string(i) +
                " 1 " + std::to_string(20 - i) + " s\n";
    return text;
}

Qrels judgements() {
    return {
        rows_of(
            {{"q0", "d0", 1}, {"q0", "d3", 2}, {"q1", "d4", 1}, {"q1", "d5", 0}, {"q2", "d11", 3}}),
        1};
}

JudgeOptions with_threads(unsigned threads) {
    JudgeOptions options;
    options.threads = threads;
    return options;
}

std::string judged_text(const Qrels& known, std::string_view text, std::size_t block,
                        unsigned threads) {
    JudgingReader reader(known, with_threads(threads));
    for (std::size_t i = 0; i < text.size(); i += block) reader.feed(text.substr(i, block));
    reader.finish();
    if (reader.interleaved()) return "interleaved";
    std::string out = std::to_string(reader.rows()) + " " + std::to_string(reader.lines());
    const Judged judged = reader.judged();
    for (const auto rank : judged.ranks) out += " " + std::to_string(rank);
    for (const auto code : judged.codes) out += "," + std::to_string(code);
    return out;
}

std::string rows_text(std::string_view text, std::size_t block, unsigned threads) {
    TrecReader reader(Layout::run, threads);
    for (std::size_t i = 0; i < text.size(); i += block) reader.feed(text.substr(i, block));
    reader.finish();
    const Rows& read = reader.rows();
    const std::string packed = pack_rows(read, 0);
    const std::string_view chunks[] = {packed};
    const Rows rows = join_chunks(chunks);
    const Duplicates twice = rows.duplicates(threads, 3);
    const Judged judged = judge(judgements(), rows, with_threads(threads));
    std::string out = std::to_string(read.digest(threads)) + " " +
                      std::to_string(rows.digest(threads)) + " " + std::to_string(twice.count);
    for (const auto rank : judged.ranks) out += " " + std::to_string(rank);
    return out;
}

std::string letor_text(std::string_view text, std::size_t block, unsigned threads) {
    LetorReader reader(true, threads);
    for (std::size_t i = 0; i < text.size(); i += block) reader.feed(text.substr(i, block));
    reader.finish();
    const Letor& letor = reader.letor();
    std::string out = std::to_string(reader.rows());
    for (const double grade : letor.grades) out += " " + std::to_string(grade);
    for (const std::int64_t offset : letor.offsets) out += "," + std::to_string(offset);
    for (const std::string& document : letor.documents) out += "|" + document;
    return out;
}

}  // namespace

// On one core threads seldom meet; ThreadSanitizer sees what they share all the same, for `deal`
// gives each a part.
void seams_of_judging() {
    const Qrels known = judgements();
    Seams tiny;
    tiny.deal = true;
    for (const std::size_t share :
         {std::size_t{1}, std::size_t{40}, std::size_t{60}, std::size_t{90}}) {
        tiny.judging_share = share;
        const Cut cut(tiny);
        for (int times = 0; times < 50; ++times) {
            CHECK(judged_text(known, run_text(true), 10'000, 4) == "interleaved");
            CHECK(judged_text(known, run_text(false), 10'000, 4) == "12 12 1 4 1 2 4,1,2,1,0,3");
        }
    }
}

void seams_of_readers() {
    const Qrels known = judgements();
    std::string letor;
    for (int i = 0; i < 12; ++i)
        letor += std::to_string(i % 3) + " qid:" + std::to_string(i % 4) +
                 " 1:" + std::to_string(i) + " " + std::to_string(2 + i) + ":0.5 #docid = d" +
                 std::to_string(i) + "\n";
    const std::string grouped = run_text(false), mixed = run_text(true) + "q1 Q0 d4 9 1 s\n";
    const std::string judged = judged_text(known, grouped, 10'000, 1),
                      rows = rows_text(mixed, 10'000, 1), features = letor_text(letor, 10'000, 1);
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const Cut cut(drawn(seed));
        const unsigned threads = 1 + seed % 5;
        const std::size_t block = 1 + seed * 7 % 97;
        CHECK(judged_text(known, grouped, block, threads) == judged);
        CHECK(rows_text(mixed, block, threads) == rows);
        CHECK(letor_text(letor, block, threads) == features);
    }
}

}  // namespace tare::tests
