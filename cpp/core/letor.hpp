// LETOR data: a dense matrix of features, one row per document, the rows of a query together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/feature_matrix.hpp"
#include "core/letor_text.hpp"
#include "core/line_blocks.hpp"
#include "core/problems.hpp"

namespace tare {

struct Letor {
    FeatureMatrix features;
    std::vector<double> grades;
    std::vector<std::string> queries;    // by first appearance; none where the text names none
    std::vector<std::int64_t> offsets;   // where the rows of each query begin
    std::vector<std::string> documents;  // empty where none was asked for
    std::uint64_t scattered = 0;         // queries whose rows did not stand together
};

// Reads text that arrives in blocks, several threads a block.
class LetorReader {
public:
    LetorReader(bool documents, unsigned threads) : with_documents_(documents), threads_(threads) {}

    void feed(std::string_view block);
    void finish();

    Letor& letor() { return letor_; }
    const Problems& problems() const { return problems_; }
    std::uint64_t lines() const { return lines_; }
    std::uint64_t rows() const { return rows_; }
    FeatureSpan features() const { return features_; }
    bool too_large() const { return too_large_; }

private:
    struct Piece {  // consecutive rows of one query
        std::uint32_t query;
        std::uint64_t count;
    };
    void parse(std::string_view lines);
    void parse_batch(std::string_view lines);
    void store(std::size_t parts);
    void add_piece(const LetorText::Piece& piece);
    void gather_queries();
    void too_long() { problems_.add(++lines_, Fault::line_too_long); }

    bool with_documents_;
    unsigned threads_;
    LineBlocks blocks_;
    std::vector<LetorText> parts_;
    std::vector<Piece> pieces_;
    std::unordered_map<std::string, std::uint32_t> index_;
    Letor letor_;
    Problems problems_, without_query_;
    FeatureSpan features_;
    std::uint64_t lines_ = 0, rows_ = 0;
    bool too_large_ = false;
};

}  // namespace tare
