#include "storage/sqlite/block_search.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/message_bounds.h"
#include "common/status_macros.h"
#include "storage/sqlite/block_columns.h"
#include "storage/sqlite/block_query.h"
#include "storage/sqlite/word_completions.h"

namespace toolgate::storage::sqlite {
namespace {

// The filters of a search, as a query.
BlockQuery NarrowingOf(const SearchQuery& query) {
  BlockQuery narrowing;
  narrowing.types = query.types;
  narrowing.parent_id = query.parent_id;
  narrowing.ancestor_id = query.ancestor_id;
  narrowing.filter = query.filter;
  narrowing.sort = query.sort;
  return narrowing;
}

// Of its filter; of any, if it has none.
FilterRun RunOf(const BlockQuery& query) {
  static const auto* const no_filter = new Filter();
  return {query.filter.has_value() ? *query.filter : *no_filter};
}

}  // namespace

absl::StatusOr<SearchTail> BlockSearch::FindTail() {
  if (access_.workspace() == 0 || absl::StripAsciiWhitespace(query_.text).empty()) return SearchTail();
  ASSIGN_OR_RETURN(const SearchWords words, WordsOf(query_.text));
  if (words.empty()) return SearchTail();
  ASSIGN_OR_RETURN(SearchTail tail, FindSearchTail(access_.connection(), access_.workspace()));
  // A tail cannot be sorted into what SQLite has sorted.
  tail.too_long |= !query_.sort.empty() && !tail.empty();
  return tail;
}

absl::StatusOr<SearchPage> BlockSearch::Run(const SearchTail& tail) {
  if (absl::StripAsciiWhitespace(query_.text).empty()) return ListAll();
  ASSIGN_OR_RETURN(const SearchWords words, WordsOf(query_.text));
  if (words.empty()) return SearchPage();
  return FindWords(words, tail);
}

absl::StatusOr<SearchPage> BlockSearch::ListAll() {
  BlockQuery all = NarrowingOf(query_);
  all.limit = query_.limit;
  all.offset = query_.offset;
  all.count_total = true;
  all.bounded = true;
  if (all.sort.empty()) all.sort.push_back({{Field::Kind::kCreatedAt}, true});
  ASSIGN_OR_RETURN(BlockPage found,
                   BlockFinder(access_.connection(), access_.workspace(), access_.fields(), all).Find());
  SearchPage page;
  page.total = found.total;
  page.total_is_lower_bound = found.total_is_lower_bound;
  page.gave_up_after = found.gave_up_after;
  for (Block& block : found.blocks) page.hits.push_back({std::move(block), 1.0});
  return page;
}

absl::Status BlockSearch::SearchIndex(const BlockQuery& narrowing, const std::string& match, SearchRank& rank,
                                      const SearchTail& tail, std::vector<Candidate>& candidates) {
  const Conditions conditions(access_.workspace(), narrowing);
  Cursor cursor = access_.connection().UseText(absl::StrCat(
      "SELECT b.row, toolgate_rank(search_text, ?) FROM search_text CROSS JOIN blocks b ON b.row = "
      "search_text.rowid WHERE search_text MATCH ? AND +",
      conditions.Sql(false), narrowing.sort.empty() ? " ORDER BY search_text.rowid DESC LIMIT ?" : OrderBy(narrowing)));
  cursor.BindPointer(&rank, SearchRank::kPointerType).Bind(match);
  FilterRun run = RunOf(narrowing);
  conditions.Bind(cursor, run);
  if (narrowing.sort.empty()) {
    cursor.Bind(kMaxCounted + 1);
  } else {
    BindOrder(cursor, narrowing);
  }
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return absl::OkStatus();
    // Ranking a long block takes FTS5 far longer than the number of virtual machine steps suggests.
    RETURN_IF_ERROR(access_.connection().CheckCall());
    if (tail.Contains(cursor.Int(0))) continue;
    candidates.push_back({cursor.Real(1), cursor.Int(0)});
  }
}

absl::Status BlockSearch::SearchInTail(const BlockQuery& narrowing, const SearchTail& tail, const SearchRank& rank,
                                       std::vector<Candidate>& candidates) {
  if (tail.rows.empty()) return absl::OkStatus();
  const Conditions conditions(access_.workspace(), narrowing);
  const std::string rows = absl::StrCat("[", absl::StrJoin(tail.rows, ","), "]");
  Cursor cursor = access_.connection().UseText(
      absl::StrCat("SELECT b.row, b.data FROM json_each(?) tail CROSS JOIN blocks b ON b.row = tail.value WHERE +",
                   conditions.Sql(false)));
  cursor.Bind(rows);
  FilterRun run = RunOf(narrowing);
  conditions.Bind(cursor, run);
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return absl::OkStatus();
    const SearchRank::Occurrences occurrences = rank.Count(TextOf(cursor.Text(1)));
    if (occurrences.all()) candidates.push_back({rank.Of(occurrences), cursor.Int(0)});
  }
}

absl::StatusOr<SearchPage> BlockSearch::FindWords(const SearchWords& words, const SearchTail& tail) {
  const BlockQuery narrowing = NarrowingOf(query_);
  Completions completions;
  if (!words.beginning.empty()) {
    ASSIGN_OR_RETURN(completions, CompleteWord(access_.connection(), access_.workspace(), words.beginning));
  }
  SearchRank rank(words, completions.words.size());
  std::vector<Candidate> candidates;
  if (words.beginning.empty() || !completions.words.empty()) {
    const std::string match = MatchExpression(access_.workspace(), words, completions.words);
    RETURN_IF_ERROR(SearchIndex(narrowing, match, rank, tail, candidates));
  }
  RETURN_IF_ERROR(SearchInTail(narrowing, tail, rank, candidates));
  SearchPage page;
  const auto found = static_cast<int64_t>(candidates.size());
  page.total_is_lower_bound = found > kMaxCounted || completions.is_cut;
  page.total = std::min(found, kMaxCounted);
  const size_t begin = std::min<size_t>(candidates.size(), std::max<int64_t>(query_.offset, 0));
  const size_t end = std::min<size_t>(candidates.size(), begin + std::max<int64_t>(query_.limit, 0));
  if (begin == end) return page;
  // Of two equally good hits, the newer one comes first.
  const auto better = [](const Candidate& a, const Candidate& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.row > b.row;
  };
  const double best = std::min_element(candidates.begin(), candidates.end(), better)->rank;
  if (query_.sort.empty()) {
    std::partial_sort(candidates.begin(), candidates.begin() + static_cast<ptrdiff_t>(end), candidates.end(), better);
  }
  std::vector<int64_t> rows;
  for (size_t i = begin; i < end; ++i) rows.push_back(candidates[i].row);
  ASSIGN_OR_RETURN(std::vector<Block> blocks, LoadRows(access_.connection(), rows, kMaxListingBytes));
  for (size_t i = 0; i < blocks.size(); ++i) {
    const double score = best < 0 ? std::clamp(candidates[begin + i].rank / best, 0.0, 1.0) : 1.0;
    page.hits.push_back({std::move(blocks[i]), score});
  }
  return page;
}

}  // namespace toolgate::storage::sqlite
