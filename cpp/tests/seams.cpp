// Ten lines cut everywhere: the same results whatever the shares, and no memory that two threads write.
#include "core/seams.hpp"

#include <string>

#include "check.hpp"
#include "collection.hpp"
#include "core/judging_reader.hpp"

namespace tare::tests {
namespace {

// Sets the sizes for a test and puts the old ones back.
class Cut {
public:
    explicit Cut(const Seams& sizes) : before_(seams) { seams = sizes; }
    ~Cut() { seams = before_; }

private:
    Seams before_;
};

// Ten lines in which every query comes back: each is in the middle of several shares.
std::string interleaved_run() {
    std::string text;
    for (int i = 0; i < 10; ++i)
        text += "q" + std::to_string(i % 2 + 1) + " Q0 d" + std::to_string(i) + " 1 " + std::to_string(i) + " s\n";
    return text;
}

}  // namespace

void seams_of_judging() {
    const Rows judgements = rows_of({{"q1", "d0", 1}, {"q1", "d2", 2}, {"q2", "d1", 1}, {"q2", "d3", 0}});
    const Qrels known(judgements, 1);
    Seams tiny;
    tiny.judging_share = 60;  // about four lines
    tiny.deal = true;
    const Cut cut(tiny);
    const std::string text = interleaved_run();
    JudgeOptions options;
    options.threads = 4;
    for (int times = 0; times < 2000; ++times) {
        JudgingReader reader(known, options);
        reader.feed(text);
        reader.finish();
        CHECK(reader.interleaved());
    }
}

}  // namespace tare::tests
