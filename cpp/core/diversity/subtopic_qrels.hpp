// Judgements by subtopic: for each query its documents, and each document's grades by subtopic.
//
// Documents of a query are numbered in descending order of their ids: where a greedy ideal has a
// choice, ndeval takes the largest id, which is then the smallest number.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/rows.hpp"

namespace tare {

class SubtopicQrels {
public:
    // The id of each row is 'subtopic document'; a later duplicate is left out.
    explicit SubtopicQrels(const Rows& rows);

    std::vector<std::string> queries;            // ascending
    std::vector<std::int64_t> document_offsets;  // by query, plus one
    std::vector<std::string> documents;          // descending within a query
    std::vector<std::int64_t> subtopic_offsets;  // by query, plus one
    std::vector<std::string> subtopics;          // by number where all are numbers, else by text
    std::vector<std::int64_t> cell_offsets;      // by document, plus one
    std::vector<std::int32_t> cell_subtopics;    // within the query, ascending within a document
    std::vector<double> cell_grades;

    // (query, document, number of the document within its query): what a run is joined with.
    Rows numbered() const;
};

}  // namespace tare
