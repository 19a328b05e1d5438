// LETOR text: the SVMlight format with query ids, one row per line.
//
//   grade qid:query id:value id:value … # comment
//
// Blanks divide the fields. Ids are whole numbers in any order, each once a line; features that are
// not named are 0. What follows '#' is a comment, in which 'docid = X' may name the document. Empty
// lines, and lines that begin with '#', are passed over.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/feature_matrix.hpp"
#include "core/problems.hpp"

namespace tare {

// The rows of a piece of text, as they were written: only the features that were named.
class LetorText {
public:
    static constexpr std::uint32_t highest_feature = 1'000'000;

    struct Cell {
        std::uint32_t feature;
        float value;
    };
    struct Row {
        double grade;
        std::size_t cells_end;  // its cells begin where those of the row before end
    };
    struct Piece {  // consecutive rows of one query
        std::string query;
        std::size_t count;
    };

    // Parses whole lines, each ended by '\n'; what was there before goes.
    void parse(std::string_view text, bool with_documents);
    // Writes all cells of the rows, those not named as 0.
    void fill(float* out, FeatureSpan features) const;
    std::string_view document(std::size_t row) const;

    const std::vector<Row>& rows() const { return rows_; }
    const std::vector<Piece>& pieces() const { return pieces_; }
    const Problems& problems() const { return problems_; }
    // The rows without a query: a problem only where others have one.
    const Problems& without_query() const { return without_query_; }
    FeatureSpan features() const { return features_; }
    std::uint64_t lines() const { return lines_; }

private:
    struct Line;
    void clear(std::size_t bytes);
    const char* parse_line(const char* p, const char* end, bool with_documents);
    const char* refuse(const Line& line, const char* p, const char* end);
    bool take_features(Line& line, const char*& p);
    bool take_field(Line& line, const char*& p);
    bool check_order(Line& line);
    void keep(const Line& line, bool with_documents);

    std::unique_ptr<Cell[]> cells_;
    std::size_t capacity_ = 0, used_ = 0;
    std::vector<Row> rows_;
    std::vector<Piece> pieces_;
    std::string_view last_query_;
    std::string documents_;
    std::vector<std::size_t> document_ends_;
    std::vector<std::uint32_t> sorted_;
    Problems problems_, without_query_;
    FeatureSpan features_;
    std::uint64_t lines_ = 0;
};

}  // namespace tare
