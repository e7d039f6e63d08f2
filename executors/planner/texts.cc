#include "executors/planner/texts.h"

#include <algorithm>

#include "common/text/utf8.h"
#include "executors/blocks/block_json.h"

namespace toolgate::executors::planner {
namespace {

constexpr size_t kCharactersInAll = 100'000;
constexpr size_t kCharactersEach = 300;

}  // namespace

size_t TextShare(size_t items) { return std::max(kCharactersEach, kCharactersInAll / std::max<size_t>(items, 1)); }

void PutText(Json& item, const std::string& name, std::string_view text, size_t max_characters) {
  const std::string_view shown = text::PrefixOfCharacters(text, max_characters);
  if (shown.size() == text.size()) {
    item[name] = std::string(text);
    return;
  }
  item[name] = std::string(shown) + "…";
  item[name + "Truncated"] = true;
}

std::string TimeText(absl::Time time) {
  std::string quoted;
  blocks::AppendTime(time, quoted);
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace toolgate::executors::planner
