// Runs every test of the core; the last line says how many checks held.
#include "check.hpp"

int main() {
    using namespace tare::tests;
    numbers();
    text();
    line_blocks();
    problems();
    trec_text();
    json_pairs();
    rows();
    row_chunks();
    id_table();
    id_order();
    qrels();
    judged();
    measures();
    chance();
    sums();
    hit_ranks();
    random_streams();
    bootstrap();
    rankers();
    expected_ngrams();
    seams_of_judging();
    seams_of_readers();
    std::printf("%d passed, %d failed\n", counts().passed, counts().failed);
    return counts().failed == 0 ? 0 : 1;
}
