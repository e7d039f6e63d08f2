#include "storage/rank_map.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "storage/fault.h"
#include "storage/rank.h"

namespace toolgate::storage {
namespace {

constexpr char kGenerationMark = '!';
constexpr JsonLimits kMapLimits{
    .max_bytes = size_t{1} << 30, .max_depth = 4, .max_keys = 16, .max_values = size_t{1} << 24};

absl::Status NotAMap() { return MarkFault(absl::DataLossError("a stored map of ranks is not one")); }

}  // namespace

std::string RememberRank(std::string_view rank, int64_t generation) {
  return absl::StrCat(ToAbsl(rank), "!", generation);
}

bool HasGeneration(std::string_view remembered) { return remembered.find(kGenerationMark) != std::string_view::npos; }

std::string_view RankOf(std::string_view remembered) { return remembered.substr(0, remembered.find(kGenerationMark)); }

int64_t GenerationOf(std::string_view remembered) {
  const size_t mark = remembered.find(kGenerationMark);
  int64_t generation = 0;
  if (mark == std::string_view::npos) return 0;
  return absl::SimpleAtoi(ToAbsl(remembered.substr(mark + 1)), &generation) ? generation : 0;
}

std::string RankMap::Translate(std::string_view rank) const {
  if (rank <= before_ || (!after_.empty() && rank >= after_)) return std::string(rank);
  const auto place = std::lower_bound(places_.begin(), places_.end(), rank,
                                      [](const Place& a, std::string_view wanted) { return a.from < wanted; });
  if (place != places_.end() && place->from == rank) return place->to;
  const std::string_view lower = place == places_.begin() ? std::string_view(before_) : (place - 1)->to;
  const std::string_view upper = place == places_.end() ? std::string_view(after_) : place->to;
  // The result of RankBetween is not a prefix of `upper`, so it stays below `upper` with any suffix.
  return RankBetween(lower, upper).append(rank);
}

std::string RankMap::Serialize() const {
  Json places = Json::array();
  for (const Place& place : places_) {
    places.push_back(place.from);
    places.push_back(place.to);
  }
  return DumpJson({{"before", before_}, {"after", after_}, {"places", std::move(places)}});
}

absl::StatusOr<RankMap> RankMap::Parse(std::string_view json) {
  const absl::StatusOr<Json> map = ParseJson(json, kMapLimits);
  if (!map.ok() || !map->is_object()) return NotAMap();
  const auto is_text = [&](const char* name) { return map->contains(name) && map->at(name).is_string(); };
  if (!is_text("before") || !is_text("after") || !map->contains("places")) return NotAMap();
  const Json& names = map->at("places");
  const bool texts = std::all_of(names.begin(), names.end(), [](const Json& name) { return name.is_string(); });
  if (!names.is_array() || names.size() % 2 != 0 || !texts) return NotAMap();
  std::vector<Place> places;
  for (size_t i = 0; i < names.size(); i += 2) {
    places.push_back({names[i].get<std::string>(), names[i + 1].get<std::string>()});
  }
  return RankMap(map->at("before").get<std::string>(), map->at("after").get<std::string>(), std::move(places));
}

}  // namespace toolgate::storage
