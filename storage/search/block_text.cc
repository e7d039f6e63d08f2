#include "storage/search/block_text.h"

#include <algorithm>
#include <array>
#include <optional>

#include "common/json_parser.h"

namespace toolgate::storage::search {
namespace {

// The keys that people see first of a block.
constexpr std::array<std::string_view, 4> kTitleKeys = {"title", "name", "content", "text"};

void AppendStrings(const simdjson::dom::element& value, std::string& out) {
  if (value.is_string()) {
    const std::string_view text = value;
    out.append(text).push_back('\n');
  } else if (value.is_array()) {
    for (const simdjson::dom::element item : value.get_array()) AppendStrings(item, out);
  } else if (value.is_object()) {
    for (const auto [key, member] : value.get_object()) AppendStrings(member, out);
  }
}

}  // namespace

BlockText TextOf(std::string_view data) {
  thread_local simdjson::dom::parser kept;
  std::optional<simdjson::dom::parser> passing;
  BlockText text;
  simdjson::dom::object root;
  if (ParserFor(data, kept, passing).parse(data.data(), data.size()).get(root) != simdjson::SUCCESS) return text;
  for (const auto [key, value] : root) {
    const bool title = std::find(kTitleKeys.begin(), kTitleKeys.end(), key) != kTitleKeys.end();
    AppendStrings(value, title ? text.title : text.body);
  }
  return text;
}

}  // namespace toolgate::storage::search
