#include "storage/sqlite/search_rank.h"

#include <algorithm>
#include <cmath>

#include "storage/search/words.h"

namespace toolgate::storage::sqlite {
namespace {

constexpr double kSaturation = 1.2;        // k1 of BM25.
constexpr double kLengthInfluence = 0.75;  // b of BM25.
constexpr double kSmallestRarity = 1e-6;   // Of a word that most blocks contain.
constexpr int kTitleColumn = 0;            // Of search_text.

double WeightOf(bool in_title) { return in_title ? SearchRank::kTitleWeight : 1; }

// Blocks that are counted of a word, oldest first. How many have a more frequent one is estimated from the part of all
// blocks that had these. Of a beginning, each completion counts.
constexpr int64_t kMaxHits = 10'000;

struct Hits {
  int64_t count = 0;
  int64_t last_row = 0;
};

int CountHit(const Fts5ExtensionApi* api, Fts5Context* fts, void* user_data) {
  auto& hits = *static_cast<Hits*>(user_data);
  hits.last_row = api->xRowid(fts);
  return ++hits.count == kMaxHits ? SQLITE_DONE : SQLITE_OK;
}

double Estimate(const Hits& hits, int64_t rows) {
  const auto count = static_cast<double>(hits.count);
  if (hits.count < kMaxHits || hits.last_row >= rows) return count;
  return count * static_cast<double>(rows) / static_cast<double>(std::max<int64_t>(hits.last_row, 1));
}

}  // namespace

bool SearchRank::Occurrences::all() const {
  return std::all_of(weighted.begin(), weighted.end(), [](double weight) { return weight > 0; });
}

SearchRank::SearchRank(const SearchWords& words, size_t completions)
    : words_(words), phrases_(words.whole.size() + completions) {
  for (size_t i = 0; i < words.whole.size(); ++i) place_of_.emplace(words.whole[i], i);
}

SearchRank::Occurrences SearchRank::Count(const BlockText& text) const {
  Occurrences found{std::vector<double>(words_.size()), 0};
  const auto count = [&](double weight) {
    return [this, &found, weight](std::string_view word) {
      ++found.length;
      if (const auto place = place_of_.find(word); place != place_of_.end()) found.weighted[place->second] += weight;
      if (!words_.beginning.empty() && word.starts_with(words_.beginning)) found.weighted.back() += weight;
    };
  };
  search::SplitWords(text.title, count(WeightOf(true)));
  search::SplitWords(text.body, count(WeightOf(false)));
  return found;
}

double SearchRank::Of(const Occurrences& occurrences) const {
  const double relative_length =
      measured_.has_value() ? static_cast<double>(occurrences.length) / measured_->average_length : 1;
  double sum = 0;
  for (size_t i = 0; i < occurrences.weighted.size(); ++i) {
    const double weight = occurrences.weighted[i];
    const double rarity = measured_.has_value() ? measured_->rarity[i] : 1;
    sum += rarity * (weight * (kSaturation + 1)) /
           (weight + kSaturation * (1 - kLengthInfluence + kLengthInfluence * relative_length));
  }
  return -sum;
}

int SearchRank::Measure(const Fts5ExtensionApi* api, Fts5Context* fts) {
  sqlite3_int64 rows = 0;
  sqlite3_int64 words = 0;
  int result = api->xRowCount(fts, &rows);
  if (result == SQLITE_OK) result = api->xColumnTotalSize(fts, -1, &words);
  Measured measured{static_cast<double>(std::max<int64_t>(words, 1)) / static_cast<double>(std::max<int64_t>(rows, 1)),
                    {}};
  std::vector<double> hits(words_.size());
  for (size_t i = 0; i < phrases_ && result == SQLITE_OK; ++i) {
    double& of_word = hits[WordOf(i)];
    if (of_word >= kMaxHits) continue;
    Hits found;
    result = api->xQueryPhrase(fts, static_cast<int>(i), &found, CountHit);
    of_word += Estimate(found, rows);
  }
  for (const double count : hits) {
    const double rest = std::max(static_cast<double>(rows) - count, 0.0) + 0.5;
    measured.rarity.push_back(std::max(std::log(rest / (count + 0.5)), kSmallestRarity));
  }
  if (result == SQLITE_OK) measured_ = std::move(measured);
  return result;
}

int SearchRank::CountIndexed(const Fts5ExtensionApi* api, Fts5Context* fts, Occurrences& occurrences) const {
  int instances = 0;
  int result = api->xInstCount(fts, &instances);
  for (int i = 0; i < instances && result == SQLITE_OK; ++i) {
    int phrase = 0;
    int column = 0;
    int offset = 0;
    result = api->xInst(fts, i, &phrase, &column, &offset);
    if (result == SQLITE_OK) {
      occurrences.weighted[WordOf(static_cast<size_t>(phrase))] += WeightOf(column == kTitleColumn);
    }
  }
  int length = 0;
  if (result == SQLITE_OK) result = api->xColumnSize(fts, -1, &length);
  occurrences.length = length;
  return result;
}

void SearchRank::Rank(const Fts5ExtensionApi* api, Fts5Context* fts, sqlite3_context* context, int count,
                      sqlite3_value** values) {
  auto* rank = count == 1 ? static_cast<SearchRank*>(sqlite3_value_pointer(values[0], kPointerType)) : nullptr;
  if (rank == nullptr || api->xPhraseCount(fts) != static_cast<int>(rank->phrases_)) {
    return sqlite3_result_error(context, "toolgate_rank is not for this query", -1);
  }
  int result = rank->measured_.has_value() ? SQLITE_OK : rank->Measure(api, fts);
  Occurrences occurrences{std::vector<double>(rank->words_.size())};
  if (result == SQLITE_OK) result = rank->CountIndexed(api, fts, occurrences);
  if (result != SQLITE_OK) return sqlite3_result_error_code(context, result);
  sqlite3_result_double(context, rank->Of(occurrences));
}

int SearchRank::AddFunction(sqlite3* db) {
  fts5_api* const api = Fts5Of(db);
  return api == nullptr ? SQLITE_ERROR : api->xCreateFunction(api, "toolgate_rank", nullptr, Rank, nullptr);
}

}  // namespace toolgate::storage::sqlite
