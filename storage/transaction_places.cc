// Places among siblings: the part of Transaction that chooses ranks, rewrites them when one would get too long, and
// remembers them for undo. See storage/rank.h and storage/rank_map.h.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "storage/fault.h"
#include "storage/rank.h"
#include "storage/rank_map.h"
#include "storage/transaction.h"

namespace toolgate::storage {
namespace {

// Kinds of documents: under a parent's id the number of times that ranks below it were rewritten, and under its id and
// that number the map.
constexpr std::string_view kGenerationKind = "rank_generation";
constexpr std::string_view kMapKind = "rank_map";
// A rank from before more rewritings than this is translated from the oldest remaining map.
constexpr int64_t kKeptMaps = 32;
constexpr int64_t kFirstReach = 32;  // Siblings examined on either side of a gap that is too narrow.

std::string MapName(std::string_view parent_id, int64_t generation) {
  return absl::StrCat(ToAbsl(parent_id), "/", generation);
}

bool IsShort(const Block& block) { return block.rank.size() <= kShortRankLength; }

}  // namespace

absl::StatusOr<Neighbours> Transaction::FindNeighbours(std::string_view parent_id, std::optional<int64_t> position,
                                                       std::string_view excluding) {
  const bool at_end = !position.has_value() && excluding.empty();
  if (at_end) {
    const auto last = last_ranks_.find(ToAbsl(parent_id));
    if (last != last_ranks_.end()) return Neighbours{last->second, ""};
  }
  ASSIGN_OR_RETURN(Neighbours neighbours, rows().blocks().FindNeighbours(parent_id, position, excluding));
  if (at_end) last_ranks_[std::string(parent_id)] = neighbours.before;
  return neighbours;
}

absl::StatusOr<std::string> Transaction::ChooseRank(std::string_view parent_id, std::optional<int64_t> position,
                                                    std::string_view excluding, std::string_view present_rank) {
  if (position.has_value() && *position < 0) position = 0;
  ASSIGN_OR_RETURN(Neighbours neighbours, FindNeighbours(parent_id, position, excluding));
  const auto& [before, after] = neighbours;
  const bool in_place = !present_rank.empty() && before < present_rank && (after.empty() || present_rank < after);
  if (in_place) return std::string(present_rank);
  // An undo restores ranks exactly, so two siblings may share one, and nothing fits between them.
  if (after.empty() || before < after) {
    std::string rank = RankBetween(before, after);
    if (rank.size() <= kMaxRankLength) return rank;
  }
  RETURN_IF_ERROR(RewriteRanks(parent_id, position.value_or(0)));
  ASSIGN_OR_RETURN(neighbours, FindNeighbours(parent_id, position, excluding));
  return RankBetween(neighbours.before, neighbours.after);
}

absl::StatusOr<std::vector<std::string>> Transaction::ChooseRanksAfter(const Block& sibling, size_t count) {
  ASSIGN_OR_RETURN(const int64_t place, rows().blocks().CountBefore(sibling));
  ASSIGN_OR_RETURN(Neighbours neighbours, FindNeighbours(sibling.parent_id, place + 1, ""));
  const auto& [before, after] = neighbours;
  if (after.empty() || before < after) {
    std::vector<std::string> ranks = SpreadRanks(before, after, count);
    if (std::ranges::all_of(ranks, [](const std::string& rank) { return rank.size() <= kMaxRankLength; })) return ranks;
  }
  RETURN_IF_ERROR(RewriteRanks(sibling.parent_id, place + 1));
  ASSIGN_OR_RETURN(neighbours, FindNeighbours(sibling.parent_id, place + 1, ""));
  return SpreadRanks(neighbours.before, neighbours.after, count);
}

// The siblings around `position` up to the nearest ones with short ranks, or to the end.
absl::StatusOr<Transaction::Stretch> Transaction::FindStretch(std::string_view parent_id, int64_t position) {
  for (int64_t reach = kFirstReach;; reach *= 4) {
    BlockQuery query;
    query.parent_id = std::string(parent_id);
    query.offset = std::max<int64_t>(0, position - reach);
    query.limit = position - query.offset + reach;
    ASSIGN_OR_RETURN(BlockPage page, FindBlocks(query));
    std::vector<Block>& blocks = page.blocks;
    const auto size = static_cast<int64_t>(blocks.size());
    // One more on either side than the gap, because the block that moves there may be among them.
    const int64_t center = std::min(position - query.offset, size);
    Stretch stretch;
    int64_t end = std::min(center + 2, size);
    while (end < size && !IsShort(blocks[end])) ++end;
    if (end < size) {
      stretch.after = blocks[end].rank;
    } else if (size == query.limit) {
      continue;
    }
    int64_t begin = std::max<int64_t>(center - 2, -1);
    const auto bounds = [&](const Block& block) {
      return IsShort(block) && (stretch.after.empty() || block.rank < stretch.after);
    };
    while (begin >= 0 && !bounds(blocks[begin])) --begin;
    if (begin >= 0) {
      stretch.before = blocks[begin].rank;
    } else if (query.offset > 0) {
      continue;
    }
    stretch.blocks.assign(std::make_move_iterator(blocks.begin() + begin + 1),
                          std::make_move_iterator(blocks.begin() + end));
    return stretch;
  }
}

absl::Status Transaction::RewriteRanks(std::string_view parent_id, int64_t position) {
  ASSIGN_OR_RETURN(const int64_t generation, RankGeneration(parent_id));
  ASSIGN_OR_RETURN(const Stretch stretch, FindStretch(parent_id, position));
  // Everything that this transaction remembers below the parent was valid until now.
  block_log_.AmendBefores([&](Image<Block>& before) {
    if (before->parent_id != parent_id || HasGeneration(before->rank)) return;
    before.Mutable().rank = RememberRank(before->rank, generation);
  });
  const std::vector<std::string> ranks = SpreadRanks(stretch.before, stretch.after, stretch.blocks.size());
  std::vector<RankMap::Place> places;
  std::vector<BlockDelta> steps;
  for (size_t i = 0; i < ranks.size(); ++i) {
    Block block = stretch.blocks[i];
    places.push_back({block.rank, ranks[i]});
    block.rank = ranks[i];
    steps.push_back({stretch.blocks[i], std::move(block)});
  }
  RETURN_IF_ERROR(WriteRows(steps));
  // Neither a new version nor a delta: no content has changed.
  for (const BlockDelta& step : steps) {
    if (block_log_.Find(step.after->id) != nullptr) RETURN_IF_ERROR(Record(std::nullopt, step.after));
  }
  const RankMap map(stretch.before, stretch.after, std::move(places));
  RETURN_IF_ERROR(PutDocument(kMapKind, MapName(parent_id, generation + 1), map.Serialize()));
  RETURN_IF_ERROR(PutDocument(kGenerationKind, parent_id, absl::StrCat(generation + 1)));
  RETURN_IF_ERROR(DeleteDocument(kMapKind, MapName(parent_id, generation + 1 - kKeptMaps)));
  rank_generations_[std::string(parent_id)] = generation + 1;
  rewrote_ranks_ = true;
  return absl::OkStatus();
}

absl::Status Transaction::KnowRankGenerations(absl::Span<const std::string_view> parent_ids) {
  absl::flat_hash_set<std::string> unknown;
  for (const std::string_view id : parent_ids) {
    if (!rank_generations_.contains(ToAbsl(id))) unknown.insert(std::string(id));
  }
  if (unknown.empty()) return absl::OkStatus();
  std::vector<DocumentKey> keys;
  for (const std::string& id : unknown) keys.push_back({kGenerationKind, id});
  ASSIGN_OR_RETURN(const std::vector<Document> documents, rows().documents().Find(keys));
  for (const Document& document : documents) {
    int64_t generation = 0;
    if (!absl::SimpleAtoi(document.json, &generation)) {
      return MarkFault(
          absl::DataLossError(absl::StrCat("the rank generation below ", document.name, " is not a number")));
    }
    rank_generations_.emplace(document.name, generation);
  }
  for (const std::string& id : unknown) rank_generations_.try_emplace(id, 0);
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Transaction::RankGeneration(std::string_view parent_id) {
  RETURN_IF_ERROR(KnowRankGenerations({parent_id}));
  return rank_generations_.at(ToAbsl(parent_id));
}

absl::StatusOr<std::string> Transaction::RestoredRank(const Block& remembered) {
  std::string rank(RankOf(remembered.rank));
  ASSIGN_OR_RETURN(const int64_t present, RankGeneration(remembered.parent_id));
  const int64_t first = std::max(GenerationOf(remembered.rank), present - kKeptMaps) + 1;
  for (int64_t generation = first; generation <= present; ++generation) {
    ASSIGN_OR_RETURN(const std::optional<std::string> json,
                     FindDocument(kMapKind, MapName(remembered.parent_id, generation)));
    if (!json.has_value()) continue;
    ASSIGN_OR_RETURN(const RankMap map, RankMap::Parse(*json));
    rank = map.Translate(rank);
  }
  return rank;
}

absl::Status Transaction::RememberPlace(Block& block) {
  if (HasGeneration(block.rank)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int64_t generation, RankGeneration(block.parent_id));
  if (generation > 0) block.rank = RememberRank(block.rank, generation);
  return absl::OkStatus();
}

absl::Status Transaction::RecordPlaced(Block before, Image<Block> after) {
  if (block_log_.Find(before.id) == nullptr) {
    RETURN_IF_ERROR(RememberPlace(before));
  } else {
    absl::Status remembered;
    block_log_.AmendBefore(before.id, [&](Image<Block>& first) { remembered = RememberPlace(first.Mutable()); });
    RETURN_IF_ERROR(remembered);
  }
  return Record(std::move(before), std::move(after));
}

}  // namespace toolgate::storage
