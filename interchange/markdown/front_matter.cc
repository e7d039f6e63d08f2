#include "interchange/markdown/front_matter.h"

#include <yaml-cpp/yaml.h>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"

namespace toolgate::interchange::markdown {
namespace {

// Room for the longest description and all tags that a page can have.
constexpr size_t kMaxFrontMatter = 1 << 20;

// Returns the next line of `rest` without its end, and removes it from `rest`.
std::string_view TakeLine(std::string_view& rest) {
  const size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  return line;
}

std::string ScalarText(const YAML::Node& node) { return node.IsDefined() && node.IsScalar() ? node.Scalar() : ""; }

void AddTag(const YAML::Node& node, std::vector<std::string>& tags) {
  if (!node.IsScalar()) return;
  const std::string text(absl::StripAsciiWhitespace(node.Scalar()));
  if (!text.empty()) tags.push_back(text);
}

std::vector<std::string> Tags(const YAML::Node& node) {
  std::vector<std::string> tags;
  if (!node.IsDefined()) return tags;
  if (node.IsSequence()) {
    for (const YAML::Node& one : node) AddTag(one, tags);
  } else if (node.IsScalar()) {
    for (const auto& piece : absl::StrSplit(node.Scalar(), ',')) AddTag(YAML::Node(std::string(piece)), tags);
  }
  return tags;
}

}  // namespace

FrontMatter TakeFrontMatter(std::string_view& text) {
  std::string_view rest = text;
  if (TakeLine(rest) != "---") return {};
  const std::string_view begin = rest;
  while (!rest.empty()) {
    const std::string_view yaml = begin.substr(0, begin.size() - rest.size());
    if (yaml.size() > kMaxFrontMatter) return {};
    const std::string_view line = TakeLine(rest);
    if (line != "---" && line != "...") continue;
    try {
      const YAML::Node root = YAML::Load(std::string(yaml));
      if (!root.IsMap()) return {};
      FrontMatter matter;
      matter.title = ScalarText(root["title"]);
      matter.icon = ScalarText(root["icon"]);
      matter.description = ScalarText(root["description"]);
      matter.tags = Tags(root["tags"]);
      text = rest;
      return matter;
    } catch (const YAML::Exception&) {
      return {};  // Not YAML, so it belongs to the document.
    }
  }
  return {};
}

}  // namespace toolgate::interchange::markdown
