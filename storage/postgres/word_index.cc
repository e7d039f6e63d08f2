#include "storage/postgres/word_index.h"

#include "common/status_macros.h"
#include "storage/search/block_text.h"
#include "storage/search/words.h"

namespace toolgate::storage::postgres {
namespace {

constexpr char kEraseWords[] =
    "DELETE FROM toolgate.block_words w USING unnest($2::bytea[], $3::bytea[]) AS g(word, block) WHERE w.workspace = "
    "$1 AND w.word = g.word AND w.block = g.block";
constexpr char kPutWords[] =
    "INSERT INTO toolgate.block_words (workspace, word, block, in_title, in_body) SELECT $1, * FROM "
    "unnest($2::bytea[], "
    "$3::bytea[], $4::bigint[], $5::bigint[]) ON CONFLICT (workspace, word, block) DO UPDATE SET in_title = "
    "excluded.in_title, in_body = excluded.in_body";
constexpr char kAddWordTotals[] =
    "INSERT INTO toolgate.word_totals AS t (workspace, blocks, words) VALUES ($1, $2, $3) ON CONFLICT (workspace) DO "
    "UPDATE SET blocks = t.blocks + excluded.blocks, words = t.words + excluded.words";

}  // namespace

WordCounts CountWords(std::string_view data) {
  const search::BlockText text = search::TextOf(data);
  WordCounts counts;
  const auto count = [&](int64_t WordCounts::Places::*place) {
    return [&counts, place](std::string_view word) {
      ++counts.length;
      ++(counts.words[std::string(word.substr(0, kMaxIndexedWord))].*place);
    };
  };
  search::SplitWords(text.title, count(&WordCounts::Places::in_title));
  search::SplitWords(text.body, count(&WordCounts::Places::in_body));
  return counts;
}

bool HasSameData(const BlockWrite& write) {
  return write.before != nullptr && write.after != nullptr && write.before->data == write.after->data;
}

int64_t WordChanges::Add(const BlockWrite& write) {
  if (HasSameData(write)) return 0;
  const WordCounts before = write.before == nullptr ? WordCounts() : CountWords(write.before->data);
  const WordCounts after = write.after == nullptr ? WordCounts() : CountWords(write.after->data);
  for (const auto& [word, places] : before.words) {
    if (after.words.contains(word)) continue;
    erased_words_.push_back(word);
    erased_blocks_.emplace_back(write.before->id);
  }
  for (const auto& [word, places] : after.words) {
    if (const auto known = before.words.find(word); known != before.words.end() && known->second == places) continue;
    words_.push_back(word);
    blocks_.emplace_back(write.after->id);
    in_title_.push_back(places.in_title);
    in_body_.push_back(places.in_body);
  }
  more_blocks_ += (write.after != nullptr ? 1 : 0) - (write.before != nullptr ? 1 : 0);
  more_words_ += after.length - before.length;
  return after.length;
}

absl::Status WordChanges::Write(Session& session) const {
  const int64_t workspace = session.workspace();
  if (!erased_words_.empty()) {
    RETURN_IF_ERROR(session.Write(kEraseWords, Params::Of(workspace, erased_words_, erased_blocks_)));
  }
  if (!words_.empty()) {
    RETURN_IF_ERROR(session.Write(kPutWords, Params::Of(workspace, words_, blocks_, in_title_, in_body_)));
  }
  if (more_blocks_ == 0 && more_words_ == 0) return absl::OkStatus();
  return session.Write(kAddWordTotals, Params::Of(workspace, more_blocks_, more_words_));
}

}  // namespace toolgate::storage::postgres
