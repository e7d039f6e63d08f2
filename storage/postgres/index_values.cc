#include "storage/postgres/index_values.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/digest.h"

namespace toolgate::storage::postgres {
namespace {

constexpr char kNumber = '\1';
constexpr char kString = '\2';
constexpr char kBehindStrings = '\3';

void AppendBigEndian(std::string& out, uint64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
}

// IEEE 754 numbers compare as their bits do, negative ones the other way round.
void AppendDouble(std::string& out, double number) {
  if (number == 0) number = 0;  // There are two zeros.
  uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof(bits));
  constexpr uint64_t kSign = uint64_t{1} << 63;
  AppendBigEndian(out, (bits & kSign) != 0 ? ~bits : bits | kSign);
}

// The largest double up to the integer, and what the integer is above it.
void AppendInteger(std::string& out, int64_t integer) {
  auto below = static_cast<double>(integer);
  // 2^63 is no int64_t.
  if (below >= 9223372036854775808.0 || static_cast<int64_t>(below) > integer) {
    below = std::nextafter(below, -std::numeric_limits<double>::infinity());
  }
  AppendDouble(out, below);
  const uint64_t rest = static_cast<uint64_t>(integer) - static_cast<uint64_t>(static_cast<int64_t>(below));
  if (rest != 0) AppendBigEndian(out, rest);
}

}  // namespace

std::string IndexBytes(const IndexValue& value) {
  std::string bytes;
  if (const auto* text = std::get_if<std::string>(&value)) {
    bytes.push_back(kString);
    bytes.append(*text);
    return bytes;
  }
  bytes.push_back(kNumber);
  if (const auto* integer = std::get_if<int64_t>(&value)) {
    AppendInteger(bytes, *integer);
  } else {
    AppendDouble(bytes, std::get<double>(value));
  }
  return bytes;
}

int64_t FieldNumber(std::string_view scope, std::string_view field) {
  const std::string digest = Sha256(absl::StrCat(scope.size(), ":", ToAbsl(scope), ToAbsl(field)));
  uint64_t number = 0;
  for (size_t i = 0; i < sizeof(number); ++i) number = (number << 8) | static_cast<unsigned char>(digest[i]);
  return static_cast<int64_t>(number);
}

ByteRange BytesOf(const IndexRange& range) {
  const IndexValue& any = range.low.has_value() ? *range.low : *range.high;
  const bool is_text = std::holds_alternative<std::string>(any);
  ByteRange bytes;
  bytes.low = range.low.has_value() ? IndexBytes(*range.low) : std::string(1, is_text ? kString : kNumber);
  bytes.high = range.high.has_value() ? IndexBytes(*range.high) : std::string(1, is_text ? kBehindStrings : kString);
  bytes.without_low = range.low.has_value() && range.without_low;
  bytes.without_high = !range.high.has_value() || range.without_high;
  return bytes;
}

}  // namespace toolgate::storage::postgres
