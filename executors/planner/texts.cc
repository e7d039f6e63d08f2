#include "executors/planner/texts.h"

#include <algorithm>

#include "executors/blocks/block_json.h"

namespace toolgate::executors::planner {
namespace {

constexpr size_t kCharactersInAll = 100'000;
constexpr size_t kCharactersEach = 300;

}  // namespace

size_t TextShare(size_t items) { return std::max(kCharactersEach, kCharactersInAll / std::max<size_t>(items, 1)); }

void PutText(Json& item, const std::string& name, std::string_view text, size_t max_characters) {
  size_t characters = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((text[i] & 0xC0) == 0x80 || characters++ < max_characters) continue;
    item[name] = std::string(text.substr(0, i)) + "…";
    item[name + "Truncated"] = true;
    return;
  }
  item[name] = std::string(text);
}

std::string TimeText(absl::Time time) {
  std::string quoted;
  blocks::AppendTime(time, quoted);
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace toolgate::executors::planner
