#include "common/json.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "simdjson.h"

namespace toolgate {
namespace {

constexpr size_t kMaxQuotedKey = 64;
// Below this many keys a scan beats a hash set.
constexpr size_t kSmallObject = 16;

absl::Status Invalid(std::string_view what) { return absl::InvalidArgumentError(ToAbsl(what)); }

// Where in the tree the builder is, kept as a chain on the stack so that it costs nothing until an error needs it.
struct Place {
  const Place* parent = nullptr;
  std::string_view key;  // Empty inside an array.
  size_t index = 0;
  bool in_array = false;
};

std::string Pointer(const Place* place) {
  if (place == nullptr) return "";
  const std::string token =
      place->in_array ? absl::StrCat(place->index) : EscapePointerToken(place->key.substr(0, kMaxQuotedKey));
  return absl::StrCat(Pointer(place->parent), "/", token);
}

std::string Where(const Place* place) {
  return place == nullptr ? "at the top" : absl::StrCat("at \"", Pointer(place), "\"");
}

class TreeBuilder {
 public:
  explicit TreeBuilder(const JsonLimits& limits) : limits_(limits) {}

  absl::StatusOr<Json> Build(const simdjson::dom::element& element, const Place* place, int depth) {
    if (++values_ > limits_.max_values) {
      return Invalid(absl::StrCat("more than ", limits_.max_values, " values"));
    }
    switch (element.type()) {
      case simdjson::dom::element_type::ARRAY:
        return BuildArray(simdjson::dom::array(element), place, depth + 1);
      case simdjson::dom::element_type::OBJECT:
        return BuildObject(simdjson::dom::object(element), place, depth + 1);
      case simdjson::dom::element_type::INT64:
        return Json(int64_t(element));
      case simdjson::dom::element_type::UINT64:
        return Json(uint64_t(element));
      case simdjson::dom::element_type::DOUBLE:
        return Json(double(element));
      case simdjson::dom::element_type::STRING:
        return Json(std::string(std::string_view(element)));
      case simdjson::dom::element_type::BOOL:
        return Json(bool(element));
      case simdjson::dom::element_type::NULL_VALUE:
        return Json(nullptr);
    }
    return absl::InternalError("a JSON type that the parser does not have");
  }

 private:
  using Members = std::vector<std::pair<const std::string, Json>>;

  absl::Status CheckDepth(const Place* place, int depth) const {
    if (depth <= limits_.max_depth) return absl::OkStatus();
    return Invalid(absl::StrCat("nested deeper than ", limits_.max_depth, " levels ", Where(place)));
  }

  absl::StatusOr<Json> BuildArray(const simdjson::dom::array& source, const Place* place, int depth) {
    RETURN_IF_ERROR(CheckDepth(place, depth));
    Json result = Json::array();
    auto& items = result.get_ref<Json::array_t&>();
    items.reserve(source.size());
    Place here{place, {}, 0, true};
    for (const simdjson::dom::element item : source) {
      ASSIGN_OR_RETURN(Json value, Build(item, &here, depth));
      items.push_back(std::move(value));
      ++here.index;
    }
    return result;
  }

  absl::StatusOr<Json> BuildObject(const simdjson::dom::object& source, const Place* place, int depth) {
    RETURN_IF_ERROR(CheckDepth(place, depth));
    Json result = Json::object();
    // The map's own emplace looks for the key each time; here duplicates are an error, found more cheaply.
    Members& members = result.get_ref<Json::object_t&>();
    std::unordered_set<std::string_view> seen;
    Place here{place, {}, 0, false};
    for (const auto field : source) {
      here.key = field.key;
      if (++keys_ > limits_.max_keys) return Invalid(absl::StrCat("more than ", limits_.max_keys, " object keys"));
      if (IsDuplicate(members, seen, field.key)) {
        return Invalid(absl::StrCat("the key at \"", Pointer(&here), "\" is given twice"));
      }
      ASSIGN_OR_RETURN(Json value, Build(field.value, &here, depth));
      members.emplace_back(std::string(field.key), std::move(value));
    }
    return result;
  }

  // Views in `seen` point into the parser's own strings, which outlive the build.
  static bool IsDuplicate(const Members& members, std::unordered_set<std::string_view>& seen, std::string_view key) {
    if (members.size() < kSmallObject) {
      const bool found =
          std::any_of(members.begin(), members.end(), [&](const auto& member) { return member.first == key; });
      if (!found && members.size() + 1 == kSmallObject) {
        for (const auto& member : members) seen.insert(member.first);
        seen.insert(key);
      }
      return found;
    }
    return !seen.insert(key).second;
  }

  const JsonLimits& limits_;
  size_t keys_ = 0;
  size_t values_ = 0;
};

// Counts brackets outside strings: cheap, and keeps a hostile nesting from both parsers.
bool NestedDeeperThan(std::string_view text, int max_depth) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > max_depth) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

// Re-reads a text that simdjson refused: says where it is broken, or turns integers beyond 64 bits into doubles.
class SlowReader : public nlohmann::json_sax<Json> {
 public:
  explicit SlowReader(const JsonLimits& limits) : limits_(limits) {}

  bool null() override { return Add(Json(nullptr)); }
  bool boolean(bool value) override { return Add(Json(value)); }
  bool number_integer(int64_t value) override { return Add(Json(value)); }
  bool number_unsigned(uint64_t value) override { return Add(Json(value)); }
  bool number_float(double value, const std::string& /*text*/) override { return Add(Json(value)); }
  bool string(std::string& value) override { return Add(Json(std::move(value))); }
  bool binary(Json::binary_t& /*value*/) override { return false; }
  bool start_object(size_t /*count*/) override { return Open(Json::object()); }
  bool start_array(size_t /*count*/) override { return Open(Json::array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }

  bool key(std::string& name) override {
    if (++keys_ > limits_.max_keys) return Fail(absl::StrCat("more than ", limits_.max_keys, " object keys"));
    if (open_.back().contains(name)) {
      return Fail(absl::StrCat("the key \"", name.substr(0, kMaxQuotedKey), "\" is given twice in one object"));
    }
    names_.back() = std::move(name);
    return true;
  }

  bool parse_error(size_t position, const std::string& token, const nlohmann::detail::exception& error) override {
    if (error.id == 406) return Fail("a number beyond the range of a double");
    static_cast<void>(token);
    return Fail(absl::StrCat("not well-formed JSON at byte ", position));
  }

  absl::StatusOr<Json> Take() && {
    if (!problem_.empty()) return Invalid(problem_);
    return std::move(root_);
  }

 private:
  bool Fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
    return false;
  }

  bool Add(Json value) {
    if (++values_ > limits_.max_values) return Fail(absl::StrCat("more than ", limits_.max_values, " values"));
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().is_array()) {
      open_.back().push_back(std::move(value));
    } else {
      open_.back()[names_.back()] = std::move(value);
    }
    return true;
  }

  bool Open(Json value) {
    open_.push_back(std::move(value));
    names_.emplace_back();
    return true;
  }

  bool Close() {
    Json value = std::move(open_.back());
    open_.pop_back();
    names_.pop_back();
    return Add(std::move(value));
  }

  const JsonLimits& limits_;
  std::vector<Json> open_;
  std::vector<std::string> names_;
  Json root_;
  size_t keys_ = 0;
  size_t values_ = 0;
  std::string problem_;
};

absl::StatusOr<Json> ParseSlowly(std::string_view text, const JsonLimits& limits) {
  SlowReader reader(limits);
  Json::sax_parse(text.begin(), text.end(), &reader);
  return std::move(reader).Take();
}

void AppendCanonical(const Json& value, std::string& out) {
  if (value.is_object()) {
    std::vector<const std::pair<const std::string, Json>*> members;
    for (const auto& member : value.get_ref<const Json::object_t&>()) members.push_back(&member);
    std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
    char separator = '{';
    for (const auto* member : members) {
      absl::StrAppend(&out, absl::string_view(&separator, 1), DumpJson(member->first), ":");
      AppendCanonical(member->second, out);
      separator = ',';
    }
    out += members.empty() ? "{}" : "}";
  } else if (value.is_array()) {
    char separator = '[';
    for (const Json& item : value) {
      out += separator;
      AppendCanonical(item, out);
      separator = ',';
    }
    out += value.empty() ? "[]" : "]";
  } else if (value.is_number_float()) {
    const double number = value.get<double>();
    const bool integral = number == std::trunc(number) && std::abs(number) < 9007199254740992.0;  // 2^53
    out += integral ? absl::StrCat(static_cast<int64_t>(number)) : DumpJson(value);
  } else {
    out += DumpJson(value);
  }
}

}  // namespace

absl::StatusOr<Json> ParseJson(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.max_bytes) {
    return Invalid(absl::StrCat(text.size(), " bytes of JSON; at most ", limits.max_bytes, " are read"));
  }
  if (!simdjson::validate_utf8(text.data(), text.size())) return Invalid("not well-formed UTF-8");
  if (NestedDeeperThan(text, limits.max_depth)) {
    return Invalid(absl::StrCat("nested deeper than ", limits.max_depth, " levels"));
  }
  thread_local simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS) return ParseSlowly(text, limits);
  return TreeBuilder(limits).Build(root, nullptr, 0);
}

std::string DumpJson(const Json& value) {
  return value.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

std::string CanonicalJson(const Json& value) {
  std::string out;
  AppendCanonical(value, out);
  return out;
}

std::string EscapePointerToken(std::string_view token) {
  std::string escaped;
  escaped.reserve(token.size());
  for (const char c : token) {
    if (c == '~') {
      escaped += "~0";
    } else if (c == '/') {
      escaped += "~1";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace toolgate
