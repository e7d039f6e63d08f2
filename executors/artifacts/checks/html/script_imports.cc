#include "executors/artifacts/checks/html/script_imports.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"

namespace toolgate::executors::artifacts::checks::html {
namespace {

bool IsNamePart(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (c & 0x80) != 0;
}

// Reads words, strings and comments; all else is one character.
class ScriptReader {
 public:
  explicit ScriptReader(std::string_view script) : script_(script) {}

  std::vector<std::string> Read() && {
    while (at_ < script_.size()) Step();
    return std::move(imports_);
  }

 private:
  void Step() {
    const char c = script_[at_];
    if (script_.substr(at_, 2) == "//") {
      at_ = std::min(script_.find('\n', at_), script_.size());
    } else if (script_.substr(at_, 2) == "/*") {
      const size_t end = script_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? script_.size() : end + 2;
    } else if (c == '"' || c == '\'' || c == '`') {
      std::string value = ReadString(c);
      if (expects_module_) imports_.push_back(std::move(value));
      expects_module_ = false;
    } else if (IsNamePart(c)) {
      const size_t begin = at_;
      while (at_ < script_.size() && IsNamePart(script_[at_])) ++at_;
      const std::string_view word = script_.substr(begin, at_ - begin);
      expects_module_ = word == "from" || word == "import";
    } else {
      if (!absl::ascii_isspace(static_cast<unsigned char>(c)) && c != '(') expects_module_ = false;
      ++at_;
    }
  }

  // A string of one line ends there: a quote in a regular expression begins none.
  std::string ReadString(char quote) {
    std::string value;
    for (++at_; at_ < script_.size() && script_[at_] != quote; ++at_) {
      if (script_[at_] == '\n' && quote != '`') return value;
      if (script_[at_] == '\\' && at_ + 1 < script_.size()) ++at_;
      value += script_[at_];
    }
    if (at_ < script_.size()) ++at_;
    return value;
  }

  const std::string_view script_;
  size_t at_ = 0;
  bool expects_module_ = false;  // A string here names a module.
  std::vector<std::string> imports_;
};

}  // namespace

std::vector<std::string> FindScriptImports(std::string_view script) { return ScriptReader(script).Read(); }

std::vector<std::string> FindMappedImports(std::string_view import_map) {
  std::vector<std::string> strings;
  for (size_t open = import_map.find('"'); open != std::string_view::npos; open = import_map.find('"', open)) {
    const size_t close = import_map.find('"', open + 1);
    if (close == std::string_view::npos) break;
    strings.emplace_back(import_map.substr(open + 1, close - open - 1));
    open = close + 1;
  }
  return strings;
}

}  // namespace toolgate::executors::artifacts::checks::html
