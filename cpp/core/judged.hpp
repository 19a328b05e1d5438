// Judged: the first narrow waist. For each query, the ranks of the judged documents.
//
// Most retrieved documents were never judged, and no measure asks more of them than how many there
// are. So a ranking is kept as the judged documents it holds, in rank order, with their ranks; the
// unjudged ones fill the gaps. A tie group is a range of ranks whose documents can be in any
// order: `lows` and `highs` give the range of each judged document (both equal its rank
// where ties are broken). A random ranking of a pool is the ranking with one tie group.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/problems.hpp"
#include "core/qrels.hpp"
#include "core/rows.hpp"

namespace tare {

enum class Ties { trec, order, expected };

struct JudgeOptions {
    Ties ties = Ties::trec;
    bool condensed = false;  // leave unjudged documents, negative grades too, out before ranking
    bool single_precision = false;  // compare scores as 32-bit floats
    std::int64_t depth = 0;         // keep the first `depth` documents, 0 = all
    bool groups = false;            // give tie ranges although ties are broken
    unsigned threads = 0;
};

// Ranks of 32 bits, as rankings have them, or of 64, as the random ranking of a huge corpus does.
class Ranks {
public:
    Ranks() = default;
    Ranks(std::span<const std::int32_t> ranks) : narrow_(ranks.data()), size_(ranks.size()) {}
    Ranks(std::span<const std::int64_t> ranks) : wide_(ranks.data()), size_(ranks.size()) {}

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::int64_t operator[](std::size_t i) const {
        return wide_ == nullptr ? narrow_[i] : wide_[i];
    }
    std::int64_t back() const { return (*this)[size_ - 1]; }

private:
    const std::int32_t* narrow_ = nullptr;
    const std::int64_t* wide_ = nullptr;
    std::size_t size_ = 0;
};

// One query's ranking, as the measures see it.
struct Ranking {
    Ranks ranks;                          // of the judged documents retrieved, from 1, ascending
    std::span<const std::int32_t> codes;  // their grades
    std::span<const std::int64_t> lows;   // tie ranges; empty where ties are broken
    std::span<const std::int64_t> highs;
    std::int64_t retrieved = 0;          // documents in the ranking, judged or not
    std::span<const std::int32_t> pool;  // grades of all judged documents, best first

    bool tied() const { return !lows.empty(); }
};

// Where the judged documents of some queries stand, one query after the other.
struct JudgedBatch {
    std::vector<std::int32_t> ranks, codes;
    std::vector<std::int64_t> lows, highs;  // empty unless tie ranges are kept
};

// One query of a batch.
struct JudgedQuery {
    std::uint32_t batch = 0, first = 0, count = 0;  // its judged documents
    std::uint32_t retrieved = 0;
    std::uint32_t tied = 0;  // documents that share their score with another
    bool present = false;    // the run has the query
};

// The rows of one query: pieces of segments, in the order given.
struct SegmentPiece {
    const Segment* segment;
    std::uint32_t first, count;
};

// Appends a query to a batch. Where `duplicates` is given, documents that come twice are added to
// it.
JudgedQuery judge_query(const Qrels& qrels, std::size_t query, std::span<const SegmentPiece> pieces,
                        const JudgeOptions& options, JudgedBatch& out,
                        Problems* duplicates = nullptr);

// Adds the documents of a piece that come twice.
void find_duplicates(const SegmentPiece& piece, std::string_view query, Problems& duplicates);

// All queries of the qrels, joined.
struct Judged {
    std::vector<std::int64_t> offsets;  // by query of the qrels, plus one
    std::vector<std::int32_t> ranks, codes;
    std::vector<std::int64_t> lows,
        highs;                            // empty unless ties are left open or groups are asked for
    std::vector<std::int64_t> retrieved;  // 0 where the run lacks the query
    std::vector<std::int64_t> tied;
    std::vector<std::uint8_t> present;

    static Judged join(const std::vector<JudgedQuery>& queries,
                       const std::vector<JudgedBatch>& batches);
};

Judged judge(const Qrels& qrels, const Rows& run, const JudgeOptions& options);

}  // namespace tare
