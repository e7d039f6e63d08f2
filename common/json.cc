#include "common/json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/json_count.h"
#include "common/json_parser.h"
#include "common/json_place.h"
#include "common/text/utf8.h"

namespace toolgate {
namespace {

constexpr size_t kMaxQuotedKey = 64;
constexpr size_t kUsualText = 120;
constexpr double kTwoTo63 = 9223372036854775808.0;
// Below this many keys a scan beats a hash set.
constexpr size_t kSmallObject = 16;

absl::Status Invalid(std::string_view what) { return absl::InvalidArgumentError(ToAbsl(what)); }

// At most so many bytes of a key, never half a character.
std::string_view QuotablePart(std::string_view key) { return text::PrefixOfBytes(key, kMaxQuotedKey); }

std::string Pointer(const JsonPlace* place) {
  return JsonPointer(place, [](std::string_view key) { return std::string(QuotablePart(key)); });
}

std::string Where(const JsonPlace* place) {
  return place == nullptr ? "at the top" : absl::StrCat("at \"", Pointer(place), "\"");
}

using Members = std::vector<std::pair<const std::string, Json>>;  // Container of an ordered object.

// Finds a second key of the same name: by a scan in small objects, by a hash set in others. The keys it is given must
// stay where they are.
class KeySet {
 public:
  // False when `key` is already there, among the first `members` or later.
  bool Insert(const Members& members, std::string_view key) {
    if (members.size() < kSmallObject) {
      return std::none_of(members.begin(), members.end(), [&](const auto& member) { return member.first == key; });
    }
    if (keys_.empty()) {
      for (const auto& member : members) keys_.emplace(member.first);
    }
    return keys_.emplace(key).second;
  }

 private:
  absl::flat_hash_set<std::string> keys_;
};

// Turns simdjson's tape into a tree. Each method answers false once something is refused; Take then says what.
class TreeBuilder {
 public:
  explicit TreeBuilder(const JsonLimits& limits) : limits_(limits) {}

  absl::StatusOr<Json> Take(const simdjson::dom::element& root) && {
    Json result(KindOf(root));
    if (!Build(root, nullptr, 0, result)) return Invalid(problem_);
    return result;
  }

 private:
  using Type = simdjson::dom::element_type;

  static Json::value_t KindOf(const simdjson::dom::element& element) {
    switch (element.type()) {
      case Type::ARRAY:
        return Json::value_t::array;
      case Type::OBJECT:
        return Json::value_t::object;
      case Type::STRING:
        return Json::value_t::string;
      default:
        return Json::value_t::null;
    }
  }

  // `out` is of the element's kind already, which makes strings, arrays and objects where they stay; a number or a
  // boolean replaces a null.
  bool Build(const simdjson::dom::element& element, const JsonPlace* place, int depth, Json& out) {
    if (++values_ > limits_.max_values) return Fail(absl::StrCat("more than ", limits_.max_values, " values"));
    switch (element.type()) {
      case Type::ARRAY:
        return BuildArray(element.get_array().value_unsafe(), place, depth + 1, out.get_ref<Json::array_t&>());
      case Type::OBJECT:
        return BuildObject(element.get_object().value_unsafe(), place, depth + 1, out.get_ref<Json::object_t&>());
      case Type::STRING:
        out.get_ref<std::string&>() = element.get_string().value_unsafe();
        return true;
      case Type::INT64:
        out = element.get_int64().value_unsafe();
        return true;
      case Type::UINT64:
        out = element.get_uint64().value_unsafe();
        return true;
      case Type::DOUBLE:
        out = element.get_double().value_unsafe();
        return true;
      case Type::BOOL:
        out = element.get_bool().value_unsafe();
        return true;
      case Type::NULL_VALUE:
        return true;
    }
    return Fail("a JSON type that is not known");
  }

  bool BuildArray(const simdjson::dom::array& source, const JsonPlace* place, int depth, std::vector<Json>& items) {
    if (depth > limits_.max_depth) return FailDepth(place);
    items.reserve(std::min(source.size(), limits_.max_values));
    JsonPlace here = JsonPlace::Item(place, 0);
    for (const simdjson::dom::element item : source) {
      if (!Build(item, &here, depth, items.emplace_back(KindOf(item)))) return false;
      ++here.index;
    }
    return true;
  }

  bool BuildObject(const simdjson::dom::object& source, const JsonPlace* place, int depth, Members& members) {
    if (depth > limits_.max_depth) return FailDepth(place);
    // The key of a member is const, so growing would copy every key.
    members.reserve(std::min(source.size(), limits_.max_keys));
    KeySet seen;
    JsonPlace here = JsonPlace::Member(place, {});
    for (const auto field : source) {
      here.key = field.key;
      if (++keys_ > limits_.max_keys) return Fail(absl::StrCat("more than ", limits_.max_keys, " object keys"));
      if (!seen.Insert(members, field.key))
        return Fail(absl::StrCat("the key at \"", Pointer(&here), "\" is given twice"));
      Json& value = members.emplace_back(std::string(field.key), KindOf(field.value)).second;
      if (!Build(field.value, &here, depth, value)) return false;
    }
    return true;
  }

  bool Fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }
  bool FailDepth(const JsonPlace* place) {
    return Fail(absl::StrCat("nested deeper than ", limits_.max_depth, " levels ", Where(place)));
  }

  const JsonLimits& limits_;
  size_t keys_ = 0;
  size_t values_ = 0;
  std::string problem_;
};

// Re-reads a text that simdjson refused: says where it is broken, or turns integers beyond 64 bits into doubles. Never
// recurses, and holds the same bounds.
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
    Level& level = open_.back();
    if (!level.seen.Insert(level.value.get_ref<Json::object_t&>(), name)) {
      return Fail(absl::StrCat("the key \"", ToAbsl(QuotablePart(name)), "\" is given twice in one object"));
    }
    level.name = std::move(name);
    return true;
  }

  bool parse_error(size_t position, const std::string& /*token*/, const nlohmann::detail::exception& error) override {
    if (error.id == kOutOfRange) return Fail("a number beyond the range of a double");
    return Fail(absl::StrCat("not well-formed JSON at byte ", position));
  }

  absl::StatusOr<Json> Take() && {
    if (!problem_.empty()) return Invalid(problem_);
    return std::move(root_);
  }

 private:
  static constexpr int kOutOfRange = 406;  // nlohmann's number for it.

  struct Level {
    Json value;
    std::string name;  // Of the member whose value comes next.
    KeySet seen;
  };

  bool Fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
    return false;
  }

  bool Add(Json value) {
    if (++values_ > limits_.max_values) return Fail(absl::StrCat("more than ", limits_.max_values, " values"));
    Attach(std::move(value));
    return true;
  }

  void Attach(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (Level& level = open_.back(); level.value.is_array()) {
      level.value.push_back(std::move(value));
    } else {
      Members& members = level.value.get_ref<Json::object_t&>();
      members.emplace_back(std::move(level.name), std::move(value));
    }
  }

  bool Open(Json value) {
    if (++values_ > limits_.max_values) return Fail(absl::StrCat("more than ", limits_.max_values, " values"));
    open_.push_back({std::move(value), {}, {}});
    if (open_.size() <= static_cast<size_t>(limits_.max_depth)) return true;
    return Fail(absl::StrCat("nested deeper than ", limits_.max_depth, " levels"));
  }

  bool Close() {
    Json value = std::move(open_.back().value);
    open_.pop_back();
    Attach(std::move(value));
    return true;
  }

  const JsonLimits& limits_;
  std::vector<Level> open_;
  Json root_;
  size_t keys_ = 0;
  size_t values_ = 0;
  std::string problem_;
};

// `error` is what simdjson said.
absl::StatusOr<Json> ParseSlowly(std::string_view text, const JsonLimits& limits, simdjson::error_code error) {
  if (!simdjson::validate_utf8(text.data(), text.size())) return Invalid("not well-formed UTF-8");
  // Neither may stand anywhere in JSON, but nlohmann reads on behind the one and stops at the other.
  if (text.starts_with("\xEF\xBB\xBF")) return Invalid("not well-formed JSON at byte 1: a byte order mark");
  if (text.find('\0') != std::string_view::npos) return Invalid("not well-formed JSON: a NUL byte");
  SlowReader reader(limits);
  Json::sax_parse(text.begin(), text.end(), &reader);
  absl::StatusOr<Json> read = std::move(reader).Take();
  // The two differ on integers beyond 64 bits and on how deep they go; whatever else one refuses is refused.
  const bool may_differ = error == simdjson::NUMBER_ERROR || error == simdjson::DEPTH_ERROR;
  if (read.ok() && !may_differ) return Invalid("not well-formed JSON");
  return read;
}

// Escapes of the characters of a JSON string, without the backslash (RFC 8259 section 7); 'u' stands for "u00" and two
// hexadecimal digits, 0 for a character that needs no escape.
constexpr std::array<char, 256> kEscapes = [] {
  std::array<char, 256> escapes = {};
  for (int c = 0; c < 0x20; ++c) escapes[c] = 'u';
  escapes['\b'] = 'b';
  escapes['\t'] = 't';
  escapes['\n'] = 'n';
  escapes['\f'] = 'f';
  escapes['\r'] = 'r';
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  return escapes;
}();

void AppendEscape(unsigned char c, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += '\\';
  out += kEscapes[c];
  if (kEscapes[c] == 'u') {
    out += "00";
    out += kDigits[c >> 4];
    out += kDigits[c & 15];
  }
}

bool IsPlain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x80 && kEscapes[byte] == 0;
}

// Number of plain characters at the beginning of `text`. Eight at a time: a byte of `word - n * kOnes` has its high bit
// when that of `word` is below n, or, harmlessly, when one before it is.
size_t PlainLength(std::string_view text) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  constexpr uint64_t kHighBits = 0x80 * kOnes;
  size_t at = 0;
  for (uint64_t word = 0; at + sizeof(word) <= text.size(); at += sizeof(word)) {
    std::memcpy(&word, text.data() + at, sizeof(word));
    const uint64_t quotes = (word ^ '"' * kOnes) - kOnes;
    const uint64_t backslashes = (word ^ '\\' * kOnes) - kOnes;
    if (((word | (word - 0x20 * kOnes) | quotes | backslashes) & kHighBits) != 0) break;
  }
  while (at < text.size() && IsPlain(text[at])) ++at;
  return at;
}

using Member = Members::value_type;

// Writes values as compact text.
class Writer {
 public:
  enum class Form { kAsItIs, kCanonical };

  Writer(Form form, std::string& out) : form_(form), out_(out) {}

  void Append(const Json& value) {
    switch (value.type()) {
      case Json::value_t::object:
        return AppendObject(value.get_ref<const Json::object_t&>());
      case Json::value_t::array:
        return AppendArray(value.get_ref<const Json::array_t&>());
      case Json::value_t::string:
        return AppendJsonString(value.get_ref<const std::string&>(), out_);
      case Json::value_t::boolean:
        out_ += value.get<bool>() ? "true" : "false";
        return;
      case Json::value_t::number_integer:
        return absl::StrAppend(&out_, value.get<int64_t>());
      case Json::value_t::number_unsigned:
        return absl::StrAppend(&out_, value.get<uint64_t>());
      case Json::value_t::number_float:
        return AppendDouble(value);
      default:  // null, and what no parser makes.
        out_ += "null";
    }
  }

 private:
  void AppendObject(const Members& members) {
    if (form_ == Form::kAsItIs) return AppendMembers(members, [](const Member& member) { return &member; });
    std::vector<const Member*> sorted;
    sorted.reserve(members.size());
    for (const Member& member : members) sorted.push_back(&member);
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
    AppendMembers(sorted, [](const Member* member) { return member; });
  }

  template <typename Range, typename ToMember>
  void AppendMembers(const Range& members, const ToMember& member_of) {
    char separator = '{';
    for (const auto& item : members) {
      const Member* const member = member_of(item);
      out_ += std::exchange(separator, ',');
      AppendJsonString(member->first, out_);
      out_ += ':';
      Append(member->second);
    }
    out_ += members.empty() ? "{}" : "}";
  }

  void AppendArray(const std::vector<Json>& items) {
    char separator = '[';
    for (const Json& item : items) {
      out_ += std::exchange(separator, ',');
      Append(item);
    }
    out_ += items.empty() ? "[]" : "]";
  }

  // In the canonical form an integral double prints as the integer that it equals.
  void AppendDouble(const Json& value) {
    const double number = value.get<double>();
    const bool as_integer = form_ == Form::kCanonical && number == std::trunc(number);
    if (as_integer && number >= -kTwoTo63 && number < kTwoTo63) {
      absl::StrAppend(&out_, static_cast<int64_t>(number));
    } else if (as_integer && number >= 0 && number < 2 * kTwoTo63) {
      absl::StrAppend(&out_, static_cast<uint64_t>(number));
    } else {
      out_ += value.dump();
    }
  }

  const Form form_;
  std::string& out_;
};

std::string Written(const Json& value, Writer::Form form) {
  std::string out;
  out.reserve(kUsualText);
  Writer(form, out).Append(value);
  return out;
}

absl::StatusOr<Json> ParseWith(simdjson::dom::parser& parser, std::string_view text, const JsonLimits& limits) {
  simdjson::dom::element root;
  const simdjson::error_code error = parser.parse(text.data(), text.size()).get(root);
  if (error != simdjson::SUCCESS) return ParseSlowly(text, limits, error);
  return TreeBuilder(limits).Take(root);
}

}  // namespace

absl::StatusOr<Json> ParseJson(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.max_bytes) {
    return Invalid(absl::StrCat(text.size(), " bytes of JSON; at most ", limits.max_bytes, " are read"));
  }
  // Before simdjson, whose own form of a dense text is some 14 times as long as the text.
  if (MayExceedCounts(text.size(), limits)) {
    if (absl::Status counted = CountJson(text, limits).status(); !counted.ok()) return counted;
  }
  thread_local simdjson::dom::parser kept;
  std::optional<simdjson::dom::parser> passing;
  return ParseWith(ParserFor(text, kept, passing), text, limits);
}

std::string DumpJson(const Json& value) { return Written(value, Writer::Form::kAsItIs); }

std::string CanonicalJson(const Json& value) { return Written(value, Writer::Form::kCanonical); }

void AppendJsonString(std::string_view text, std::string& out) {
  const size_t plain = PlainLength(text);
  if (plain < text.size() && !simdjson::validate_utf8(text.data(), text.size())) {
    // The library knows how many marks stand for how many broken bytes.
    out += Json(text).dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
    return;
  }
  out += '"';
  size_t copied = 0;
  for (size_t i = plain; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (kEscapes[c] == 0) continue;
    out.append(text, copied, i - copied);
    AppendEscape(c, out);
    copied = i + 1;
  }
  out.append(text, copied);
  out += '"';
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
