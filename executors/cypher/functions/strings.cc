#include "executors/cypher/functions/strings.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/text/utf8.h"
#include "executors/cypher/functions/failure.h"

namespace toolgate::executors::cypher::functions {
namespace {

using syntax::FunctionId;
using values::List;
using values::Value;

std::string MapCharacters(std::string_view text, utf8proc_int32_t (*map)(utf8proc_int32_t)) {
  std::string mapped;
  mapped.reserve(text.size());
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (size_t at = 0; at < text.size();) {
    utf8proc_int32_t character = 0;
    const utf8proc_ssize_t length =
        utf8proc_iterate(bytes + at, static_cast<utf8proc_ssize_t>(text.size() - at), &character);
    if (length <= 0) {
      mapped += text[at++];
      continue;
    }
    utf8proc_uint8_t encoded[4];
    const utf8proc_ssize_t written = utf8proc_encode_char(map(character), encoded);
    mapped.append(reinterpret_cast<const char*>(encoded), static_cast<size_t>(written));
    at += static_cast<size_t>(length);
  }
  return mapped;
}

absl::StatusOr<size_t> LengthArgument(const Value& argument) {
  if (!argument.is_integer()) return WrongType("A length or position", "an Integer", argument);
  if (argument.integer() < 0) {
    return ArgumentFailure("NegativeIntegerArgument", "A length or position must not be negative.");
  }
  return static_cast<size_t>(argument.integer());
}

std::string_view WithoutCharacters(std::string_view text, size_t count) {
  return text.substr(text::PrefixOfCharacters(text, count).size());
}

absl::StatusOr<Value> Substring(std::string_view text, absl::Span<const Value> bounds) {
  ASSIGN_OR_RETURN(const size_t start, LengthArgument(bounds[0]));
  const std::string_view rest = WithoutCharacters(text, start);
  if (bounds.size() == 1) return Value(rest);
  ASSIGN_OR_RETURN(const size_t length, LengthArgument(bounds[1]));
  return Value(text::PrefixOfCharacters(rest, length));
}

std::string_view LastCharacters(std::string_view text, size_t count) {
  const size_t all = text::CountCharacters(text);
  return count >= all ? text : WithoutCharacters(text, all - count);
}

size_t CountOf(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = Find(text, part); at != std::string_view::npos; at = Find(text, part, at + part.size())) ++count;
  return count;
}

std::string Replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string replaced;
  size_t begin = 0;
  for (size_t at = Find(text, from); at != std::string_view::npos; at = Find(text, from, begin)) {
    replaced.append(text, begin, at - begin);
    replaced.append(to);
    begin = at + from.size();
  }
  replaced.append(text, begin);
  return replaced;
}

absl::StatusOr<Value> Replace(std::string_view text, const Value& from, const Value& to, size_t max_bytes) {
  if (!from.is_string()) return WrongType("replace()", "Strings", from);
  if (!to.is_string()) return WrongType("replace()", "Strings", to);
  if (from.string().empty()) return Value(text);
  if (to.string().size() > from.string().size() &&
      CountOf(text, from.string()) > max_bytes / (to.string().size() - from.string().size())) {
    return TooLarge("The result of replace()");
  }
  return Value(Replaced(text, from.string(), to.string()));
}

absl::StatusOr<Value> Split(std::string_view text, const Value& delimiter, size_t max_bytes) {
  if (!delimiter.is_string()) return WrongType("split()", "Strings", delimiter);
  const std::string& separator = delimiter.string();
  const size_t parts = separator.empty() ? text.size() : CountOf(text, separator) + 1;
  if (parts > max_bytes / sizeof(Value)) return TooLarge("The result of split()");
  List list;
  if (separator.empty()) {
    while (!text.empty()) {
      const std::string_view character = text::PrefixOfCharacters(text, 1);
      list.emplace_back(character);
      text.remove_prefix(character.size());
    }
    return Value(std::move(list));
  }
  for (size_t at = Find(text, separator); at != std::string_view::npos; at = Find(text, separator)) {
    list.emplace_back(text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  list.emplace_back(text);
  return Value(std::move(list));
}

absl::StatusOr<Value> Cut(FunctionId function, std::string_view text, const Value& argument) {
  ASSIGN_OR_RETURN(const size_t length, LengthArgument(argument));
  return Value(function == FunctionId::kLeft ? text::PrefixOfCharacters(text, length) : LastCharacters(text, length));
}

}  // namespace

size_t Find(std::string_view text, std::string_view part, size_t from) {
  if (from > text.size()) return std::string_view::npos;
  if (part.empty()) return from;
  const void* const found = memmem(text.data() + from, text.size() - from, part.data(), part.size());
  return found == nullptr ? std::string_view::npos : static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

Value Reversed(std::string_view text) {
  std::string reversed;
  reversed.reserve(text.size());
  size_t end = text.size();
  for (size_t at = text.size(); at-- > 0;) {
    if (text::ContinuesCharacter(text[at])) continue;
    reversed.append(text.substr(at, end - at));
    end = at;
  }
  return Value(std::move(reversed));
}

absl::StatusOr<Value> CallString(FunctionId function, absl::Span<const Value> arguments, size_t max_bytes) {
  if (std::any_of(arguments.begin(), arguments.end(), [](const Value& value) { return value.is_null(); })) {
    return Value();
  }
  if (!arguments[0].is_string()) return WrongType("A function of texts", "a String", arguments[0]);
  const std::string& text = arguments[0].string();
  switch (function) {
    case FunctionId::kLeft:
    case FunctionId::kRight:
      return Cut(function, text, arguments[1]);
    case FunctionId::kSubstring:
      return Substring(text, arguments.subspan(1));
    case FunctionId::kReplace:
      return Replace(text, arguments[1], arguments[2], max_bytes);
    case FunctionId::kSplit:
      return Split(text, arguments[1], max_bytes);
    case FunctionId::kLTrim:
      return Value(FromAbsl(absl::StripLeadingAsciiWhitespace(text)));
    case FunctionId::kRTrim:
      return Value(FromAbsl(absl::StripTrailingAsciiWhitespace(text)));
    case FunctionId::kTrim:
      return Value(FromAbsl(absl::StripAsciiWhitespace(text)));
    case FunctionId::kToLower:
      return Value(MapCharacters(text, utf8proc_tolower));
    case FunctionId::kToUpper:
      return Value(MapCharacters(text, utf8proc_toupper));
    default:
      return absl::InternalError("not a function of texts");
  }
}

}  // namespace toolgate::executors::cypher::functions
