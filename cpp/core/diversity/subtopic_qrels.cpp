#include "core/diversity/subtopic_qrels.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "core/id_order.hpp"
#include "core/text.hpp"

namespace tare {
namespace {

struct Cell {
    std::string_view document, subtopic;
    double grade;
    std::size_t place;  // in the order given
};

bool is_number(std::string_view text) {
    return !text.empty() && text.size() <= 18 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view without_zeros(std::string_view text) {
    const std::size_t first = text.find_first_not_of('0');
    return first == std::string_view::npos ? text.substr(text.size() - 1) : text.substr(first);
}

// Cuts 'subtopic document' at the tab that tables put there, else at the first blank.
Cell cut(std::string_view id, double grade, std::size_t place) {
    std::size_t at = id.find('\t');
    if (at == std::string_view::npos) at = id.find_first_of(" \r\v\f");
    if (at == std::string_view::npos) return {id, {}, grade, place};
    std::string_view subtopic = id.substr(0, at), document = id.substr(at + 1);
    while (!subtopic.empty() && is_blank(subtopic.back())) subtopic.remove_suffix(1);
    while (!document.empty() && is_blank(document.front())) document.remove_prefix(1);
    return {document, subtopic, grade, place};
}

std::vector<std::string_view> in_order(const std::vector<Cell>& cells) {
    std::vector<std::string_view> names;
    for (const Cell& cell : cells) names.push_back(cell.subtopic);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    if (std::all_of(names.begin(), names.end(), is_number))
        std::stable_sort(names.begin(), names.end(), [](std::string_view a, std::string_view b) {
            a = without_zeros(a), b = without_zeros(b);
            return a.size() != b.size() ? a.size() < b.size() : a < b;
        });
    return names;
}

}  // namespace

SubtopicQrels::SubtopicQrels(const Rows& rows) {
    document_offsets.push_back(0);
    subtopic_offsets.push_back(0);
    cell_offsets.push_back(0);
    std::vector<RowRef> refs;
    std::vector<Cell> cells;
    for (const std::uint32_t q : ascending(rows.queries(), 0)) {
        queries.emplace_back(rows.queries()[q]);
        rows.gather(q, refs);
        cells.clear();
        for (const RowRef r : refs)
            cells.push_back(cut(rows.doc(r), rows.row(r).value + 0.0, cells.size()));
        const std::vector<std::string_view> names = in_order(cells);
        std::map<std::string_view, std::int32_t> number;
        for (std::size_t j = 0; j < names.size(); ++j)
            number[names[j]] = static_cast<std::int32_t>(j);
        for (const std::string_view name : names) subtopics.emplace_back(name);
        subtopic_offsets.push_back(static_cast<std::int64_t>(subtopics.size()));
        std::vector<std::int32_t> of(cells.size());
        for (const Cell& cell : cells) of[cell.place] = number[cell.subtopic];
        std::sort(cells.begin(), cells.end(), [&](const Cell& a, const Cell& b) {
            if (const int c = a.document.compare(b.document); c != 0) return c > 0;
            if (of[a.place] != of[b.place]) return of[a.place] < of[b.place];
            return a.place < b.place;
        });
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const bool same_document = i > 0 && cells[i].document == cells[i - 1].document;
            if (same_document && of[cells[i].place] == of[cells[i - 1].place]) continue;
            if (!same_document) {
                if (i > 0) cell_offsets.push_back(static_cast<std::int64_t>(cell_grades.size()));
                documents.emplace_back(cells[i].document);
            }
            cell_subtopics.push_back(of[cells[i].place]);
            cell_grades.push_back(cells[i].grade);
        }
        cell_offsets.push_back(static_cast<std::int64_t>(cell_grades.size()));
        document_offsets.push_back(static_cast<std::int64_t>(documents.size()));
    }
}

Rows SubtopicQrels::numbered() const {
    Segment segment;
    for (std::size_t q = 0; q < queries.size(); ++q)
        for (std::int64_t d = document_offsets[q]; d < document_offsets[q + 1]; ++d)
            segment.add(queries[q], documents[static_cast<std::size_t>(d)],
                        static_cast<double>(d - document_offsets[q]));
    Rows rows;
    rows.take(std::move(segment));
    return rows;
}

}  // namespace tare
