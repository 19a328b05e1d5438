// Checks: each one is counted, and a failed one is reported with file and line.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>

namespace tare::tests {

struct Counts {
    int passed = 0, failed = 0;
};

inline Counts& counts() {
    static Counts all;
    return all;
}

inline void check(bool holds, const char* text, const char* file, int line) {
    if (holds) {
        ++counts().passed;
    } else {
        ++counts().failed;
        std::printf("%s:%d: %s\n", file, line, text);
    }
}

inline bool near(double a, double b, double within = 1e-13) {
    return std::fabs(a - b) <= within * std::fmax(1.0, std::fabs(b));
}

// One function a file of tests.
void numbers();
void text();
void line_blocks();
void problems();
void trec_text();
void json_pairs();
void rows();
void row_chunks();
void id_table();
void id_order();
void qrels();
void judged();
void measures();
void chance();
void sums();
void hit_ranks();
void random_streams();
void bootstrap();
void rankers();
void expected_ngrams();
void seams_of_judging();
void seams_of_readers();

}  // namespace tare::tests

#define CHECK(condition) tare::tests::check((condition), #condition, __FILE__, __LINE__)
