#include "storage/postgres/block_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "storage/postgres/block_columns.h"
#include "storage/postgres/word_index.h"
#include "storage/search/block_text.h"
#include "storage/search/words.h"

namespace toolgate::storage::postgres {
namespace {

constexpr double kSaturation = 1.2;        // k1 of BM25.
constexpr double kLengthInfluence = 0.75;  // b of BM25.
constexpr double kSmallestRarity = 1e-6;   // Of a word that most blocks contain.
constexpr double kTitleWeight = 4;         // Of a word in a block's title; in its body it has 1.
// Blocks that are counted of a word.
constexpr int64_t kMaxHits = 10'000;

BlockQuery NarrowingOf(const SearchQuery& query) {
  BlockQuery narrowing;
  narrowing.types = query.types;
  narrowing.parent_id = query.parent_id;
  narrowing.ancestor_id = query.ancestor_id;
  narrowing.filter = query.filter;
  narrowing.sort = query.sort;
  return narrowing;
}

std::string Cut(std::string_view word) { return std::string(word.substr(0, kMaxIndexedWord)); }

// Appends a condition on rows `w` of block_words.
void AppendWord(SqlText& sql, int64_t workspace, const std::string& word, bool is_beginning) {
  sql << "w.workspace = " << sql.Value(workspace) << " AND w.word ";
  if (!is_beginning) {
    sql << "= " << sql.OwnedValue(Cut(word));
    return;
  }
  // A word in UTF-8 never has the byte 0xff.
  sql << ">= " << sql.OwnedValue(Cut(word)) << " AND w.word < " << sql.OwnedValue(Cut(word) + "\xff");
}

// Calls `each` with every word and whether it is a beginning.
template <typename Each>
void ForEachWord(const search::SearchWords& words, Each each) {
  for (const std::string& word : words.whole) each(word, false);
  if (!words.beginning.empty()) each(words.beginning, true);
}

// Whether the index tells less than the words.
bool AreCut(const search::SearchWords& words) {
  bool are_cut = false;
  ForEachWord(words, [&](const std::string& word, bool) { are_cut |= word.size() > kMaxIndexedWord; });
  return are_cut;
}

bool HasAll(const search::SearchWords& words, std::string_view data) {
  std::vector<bool> found(words.size());
  const search::BlockText text = search::TextOf(data);
  const auto look = [&](std::string_view word) {
    size_t i = 0;
    ForEachWord(words, [&](const std::string& wanted, bool is_beginning) {
      if (is_beginning ? word.starts_with(wanted) : word == wanted) found[i] = true;
      ++i;
    });
  };
  search::SplitWords(text.title, look);
  search::SplitWords(text.body, look);
  return std::all_of(found.begin(), found.end(), [](bool has) { return has; });
}

}  // namespace

absl::StatusOr<SearchPage> BlockSearch::ListAll() {
  BlockQuery all = NarrowingOf(query_);
  all.limit = query_.limit;
  all.offset = query_.offset;
  all.count_total = true;
  all.bounded = true;
  if (all.sort.empty()) all.sort.push_back({{Field::Kind::kCreatedAt}, true});
  ASSIGN_OR_RETURN(BlockPage found, BlockFinder(session_, all).Find());
  SearchPage page;
  page.total = found.total;
  page.total_is_lower_bound = found.total_is_lower_bound;
  page.gave_up_after = found.gave_up_after;
  for (Block& block : found.blocks) page.hits.push_back({std::move(block), 1.0});
  return page;
}

absl::StatusOr<BlockSearch::Measures> BlockSearch::Measure(const search::SearchWords& words) {
  SqlText sql;
  sql << "SELECT coalesce((SELECT blocks FROM toolgate.word_totals WHERE workspace = "
      << sql.Value(session_.workspace())
      << "), 0), coalesce((SELECT words FROM toolgate.word_totals WHERE workspace = " << sql.Value(session_.workspace())
      << "), 0)";
  ForEachWord(words, [&](const std::string& word, bool is_beginning) {
    sql << ", (SELECT count(*) FROM (SELECT " << (is_beginning ? "DISTINCT w.block" : "1")
        << " FROM (SELECT w.block FROM toolgate.block_words w WHERE ";
    AppendWord(sql, session_.workspace(), word, is_beginning);
    sql << " LIMIT " << sql.Value(kMaxHits) << ") AS w) AS few)";
  });
  ASSIGN_OR_RETURN(const Result found, session_.Query(sql.sql(), sql.params()));
  Measures measures;
  const auto blocks = static_cast<double>(std::max<int64_t>(found[0].Int(0), 1));
  measures.average_length = std::max(static_cast<double>(found[0].Int(1)) / blocks, 1.0);
  for (size_t i = 0; i < words.size(); ++i) {
    const auto hits = static_cast<double>(found[0].Int(static_cast<int>(i) + 2));
    const double rest = std::max(blocks - hits, 0.0) + 0.5;
    measures.rarity.push_back(std::max(std::log(rest / (hits + 0.5)), kSmallestRarity));
  }
  return measures;
}

absl::StatusOr<std::vector<BlockSearch::Candidate>> BlockSearch::FindCandidates(const BlockQuery& narrowing,
                                                                                const search::SearchWords& words,
                                                                                const Measures& measures) {
  const bool is_cut = AreCut(words);
  const bool needs_data = narrowing.filter.has_value() || !narrowing.sort.empty() || is_cut;
  SqlText sql;
  sql << "SELECT b.id, b.type, b.parent, b.rank, b.version, b.change_id, b.created_by, b.updated_by, b.created_at, "
         "b.updated_at, "
      << (needs_data ? "b.data" : "''::bytea") << ", b.words";
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string w = absl::StrCat("w", i);
    sql << ", " << w << ".in_title, " << w << ".in_body";
  }
  sql << " FROM toolgate.blocks b";
  size_t i = 0;
  ForEachWord(words, [&](const std::string& word, bool is_beginning) {
    sql << " JOIN (SELECT w.block, sum(w.in_title)::bigint AS in_title, sum(w.in_body)::bigint AS in_body FROM "
           "toolgate.block_words w WHERE ";
    AppendWord(sql, session_.workspace(), word, is_beginning);
    sql << " GROUP BY w.block) AS w" << absl::StrCat(i) << " ON w" << absl::StrCat(i) << ".block = b.id";
    ++i;
  });
  sql << " WHERE ";
  AppendConditions(sql, session_.workspace(), narrowing);
  // Sorted hits are not ranked, so the newest alone would not do.
  if (narrowing.sort.empty()) {
    sql << " ORDER BY b.created_at DESC, b.id DESC LIMIT " << sql.Value(kMaxCounted + 1);
  }
  std::vector<Candidate> candidates;
  RETURN_IF_ERROR(session_.Stream(sql.sql(), sql.params(), [&](const Row& row) {
    if (narrowing.filter.has_value() && !Matches(*narrowing.filter, FieldsOf(row))) return absl::OkStatus();
    if (is_cut && !HasAll(words, row.Bytes(10))) return absl::OkStatus();
    Candidate& candidate = candidates.emplace_back();
    candidate.match = MatchOf(narrowing.sort, row);
    const double length = static_cast<double>(row.Int(kBlockColumns)) / measures.average_length;
    for (size_t word = 0; word < words.size(); ++word) {
      const int column = kBlockColumns + 1 + 2 * static_cast<int>(word);
      const double weight =
          kTitleWeight * static_cast<double>(row.Int(column)) + static_cast<double>(row.Int(column + 1));
      candidate.score += measures.rarity[word] * (weight * (kSaturation + 1)) /
                         (weight + kSaturation * (1 - kLengthInfluence + kLengthInfluence * length));
    }
    return absl::OkStatus();
  }));
  return candidates;
}

absl::StatusOr<SearchPage> BlockSearch::Run() {
  if (absl::StripAsciiWhitespace(query_.text).empty()) return ListAll();
  ASSIGN_OR_RETURN(const search::SearchWords words, search::WordsOf(query_.text));
  if (words.empty()) return SearchPage();
  const BlockQuery narrowing = NarrowingOf(query_);
  ASSIGN_OR_RETURN(const Measures measures, Measure(words));
  ASSIGN_OR_RETURN(std::vector<Candidate> candidates, FindCandidates(narrowing, words, measures));
  SearchPage page;
  const auto found = static_cast<int64_t>(candidates.size());
  page.total_is_lower_bound = found > kMaxCounted;
  page.total = std::min(found, kMaxCounted);
  const int64_t begin = std::min(found, std::max<int64_t>(query_.offset, 0));
  const int64_t end = std::min(found, begin + std::max<int64_t>(query_.limit, 0));
  if (begin == end) return page;
  double best = 0;
  for (const Candidate& candidate : candidates) best = std::max(best, candidate.score);
  std::partial_sort(candidates.begin(), candidates.begin() + end, candidates.end(),
                    [&](const Candidate& a, const Candidate& b) {
                      if (!query_.sort.empty()) {
                        return ComesBefore(query_.sort, query_.parent_id.has_value(), a.match, b.match);
                      }
                      // Of two equally good hits, the newer one comes first.
                      if (a.score != b.score) return a.score > b.score;
                      return std::tie(a.match.created_at, a.match.id) > std::tie(b.match.created_at, b.match.id);
                    });
  std::vector<std::string> ids;
  for (int64_t i = begin; i < end; ++i) ids.push_back(candidates[static_cast<size_t>(i)].match.id);
  ASSIGN_OR_RETURN(std::vector<Block> blocks, LoadBlocks(session_, ids, static_cast<int64_t>(kMaxListingBytes)));
  for (size_t i = 0; i < blocks.size(); ++i) {
    const double score = candidates[static_cast<size_t>(begin) + i].score;
    page.hits.push_back({std::move(blocks[i]), best > 0 ? std::clamp(score / best, 0.0, 1.0) : 1.0});
  }
  return page;
}

}  // namespace toolgate::storage::postgres
