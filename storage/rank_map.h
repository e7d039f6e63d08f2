// Mapping from old to new ranks after siblings were given new ones.
//
// Transaction rewrites the ranks of siblings when one would get too long (storage/rank.h). This is invisible: the
// blocks keep their versions and change ids, and their order. But undo entries contain earlier ranks. So every
// rewriting below one parent has a number, its generation; an undo entry stores a rank together with its generation;
// and each rewriting leaves a map, kept as a document, which translates an older rank to its new place. The map keeps
// the order, also of ranks that no block had at the time, so restored blocks return to their former places.
#ifndef TOOLGATE_STORAGE_RANK_MAP_H_
#define TOOLGATE_STORAGE_RANK_MAP_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace toolgate::storage {

// A rank in an undo entry: "KzK" in generation 0, "KzK!3" in generation 3. Ranks of blocks never contain a '!'.
std::string RememberRank(std::string_view rank, int64_t generation);
bool HasGeneration(std::string_view remembered);
std::string_view RankOf(std::string_view remembered);
int64_t GenerationOf(std::string_view remembered);

// One rewriting of neighbouring siblings. Immutable.
class RankMap {
 public:
  struct Place {
    std::string from;
    std::string to;
  };

  // `places` in order; all lie between the unchanged ranks `before` and `after` (empty: the open end).
  RankMap(std::string before, std::string after, std::vector<Place> places)
      : before_(std::move(before)), after_(std::move(after)), places_(std::move(places)) {}

  // The new rank for `rank`. Strictly ascending; ranks outside of the rewritten part are unchanged.
  std::string Translate(std::string_view rank) const;

  std::string Serialize() const;
  // DATA_LOSS if `json` does not come from Serialize.
  static absl::StatusOr<RankMap> Parse(std::string_view json);

 private:
  std::string before_;
  std::string after_;
  std::vector<Place> places_;
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_RANK_MAP_H_
