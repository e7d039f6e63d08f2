#include "executors/json_template.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/arguments.h"

namespace toolgate::executors {
namespace {

constexpr std::string_view kOpen = "{{";
constexpr std::string_view kClose = "}}";
constexpr size_t kMaxQuoted = 80;
constexpr int kMaxDepth = 128;

// The next "{{path}}" of a string.
struct Template {
  size_t begin = 0;
  size_t end = 0;         // Position after the "}}".
  std::string_view path;  // Without the blanks around it.

  std::string_view first_key() const { return path.substr(0, path.find('.')); }
};

std::optional<Template> NextTemplate(std::string_view text, size_t start) {
  const size_t open = text.find(kOpen, start);
  if (open == std::string_view::npos) return std::nullopt;
  const size_t close = text.find(kClose, open + kOpen.size());
  if (close == std::string_view::npos) return std::nullopt;
  const std::string_view path = text.substr(open + kOpen.size(), close - open - kOpen.size());
  return Template{open, close + kClose.size(), FromAbsl(absl::StripAsciiWhitespace(ToAbsl(path)))};
}

class Expander {
 public:
  Expander(const Json& scope, bool keep_foreign) : scope_(scope), keep_foreign_(keep_foreign) {}

  absl::StatusOr<Json> Expand(const Json& value, int depth) {
    if (depth > kMaxDepth) return InvalidArgument("", "template", "the templated value is nested too deeply");
    if (value.is_string()) return ExpandString(value.get_ref<const std::string&>());
    if (value.is_array()) {
      Json result = Json::array();
      for (const Json& item : value) {
        ASSIGN_OR_RETURN(Json expanded, Expand(item, depth + 1));
        result.push_back(std::move(expanded));
      }
      return result;
    }
    if (value.is_object()) {
      Json result = Json::object();
      for (const auto& member : value.get_ref<const Json::object_t&>()) {
        ASSIGN_OR_RETURN(result[member.first], Expand(member.second, depth + 1));
      }
      return result;
    }
    return value;
  }

 private:
  absl::StatusOr<Json> ExpandString(std::string_view text) {
    std::string out;
    size_t start = 0;
    while (const std::optional<Template> next = NextTemplate(text, start)) {
      if (keep_foreign_ && Step(scope_, next->first_key()) == nullptr) {
        out += text.substr(start, next->end - start);
        start = next->end;
        continue;
      }
      ASSIGN_OR_RETURN(const Json* found, LookUp(next->path));
      if (next->begin == 0 && next->end == text.size()) {
        RETURN_IF_ERROR(
            Spend(found->is_string() ? found->get_ref<const std::string&>().size() : DumpJson(*found).size()));
        return *found;
      }
      out += text.substr(start, next->begin - start);
      const std::string inserted = found->is_string() ? found->get<std::string>() : DumpJson(*found);
      RETURN_IF_ERROR(Spend(inserted.size()));
      out += inserted;
      start = next->end;
    }
    out += text.substr(start);
    return Json(std::move(out));
  }

  absl::StatusOr<const Json*> LookUp(std::string_view path) const {
    const Json* place = &scope_;
    std::string_view rest = path;
    while (place != nullptr) {
      const size_t dot = rest.find('.');
      place = Step(*place, rest.substr(0, dot));
      if (dot == std::string_view::npos) break;
      rest.remove_prefix(dot + 1);
    }
    if (place != nullptr) return place;
    return InvalidArgument("", "template",
                           absl::StrCat("the template {{", ToAbsl(path.substr(0, kMaxQuoted)),
                                        "}} names nothing that is known at this point"),
                           "a path to a known value", "an unknown path");
  }

  static const Json* Step(const Json& place, std::string_view key) {
    if (place.is_object()) {
      for (const auto& member : place.get_ref<const Json::object_t&>()) {
        if (member.first == key) return &member.second;
      }
      return nullptr;
    }
    size_t index = 0;
    if (!place.is_array() || key.size() > 6 || !absl::SimpleAtoi(ToAbsl(key), &index) || index >= place.size()) {
      return nullptr;
    }
    return &place[index];
  }

  absl::Status Spend(size_t bytes) {
    spent_ += bytes;
    if (spent_ <= kMaxExpandedBytes) return absl::OkStatus();
    return InvalidArgument("", "template", "the templates expand to more than 1 MiB", "at most 1 MiB");
  }

  const Json& scope_;
  const bool keep_foreign_;
  size_t spent_ = 0;
};

}  // namespace

absl::StatusOr<Json> ExpandTemplates(const Json& value, const Json& scope) {
  return Expander(scope, /*keep_foreign=*/false).Expand(value, 0);
}

absl::StatusOr<Json> ExpandKnownTemplates(const Json& value, const Json& scope) {
  return Expander(scope, /*keep_foreign=*/true).Expand(value, 0);
}

bool HasTemplateOf(const Json& value, std::string_view key) {
  if (value.is_structured()) {
    return std::any_of(value.begin(), value.end(), [key](const Json& part) { return HasTemplateOf(part, key); });
  }
  if (!value.is_string()) return false;
  const std::string_view text = value.get_ref<const std::string&>();
  size_t start = 0;
  while (const std::optional<Template> next = NextTemplate(text, start)) {
    if (next->first_key() == key) return true;
    start = next->end;
  }
  return false;
}

}  // namespace toolgate::executors
