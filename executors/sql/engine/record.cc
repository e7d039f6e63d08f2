#include "executors/sql/engine/record.h"

#include <cstdint>
#include <cstring>
#include <optional>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "simdjson.h"

namespace toolgate::executors::sql::engine {
namespace {

// A value is a letter for its type, followed by nothing for NULL; 8 bytes, least significant first, for an integer or a
// double; 4 bytes of length and the bytes for a text or a blob.
constexpr char kNull = 'n';
constexpr char kInteger = 'i';
constexpr char kReal = 'r';
constexpr char kText = 't';
constexpr char kBlob = 'b';

constexpr size_t kShownCharacters = 40;

void AppendFixed(uint64_t bits, int bytes, std::string& record) {
  for (int i = 0; i < bytes; ++i) record.push_back(static_cast<char>(bits >> (8 * i)));
}

uint64_t ReadFixed(std::string_view bytes) {
  uint64_t bits = 0;
  for (size_t i = 0; i < bytes.size(); ++i) bits |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return bits;
}

void AppendBytes(char type, const void* bytes, int size, std::string& record) {
  record.push_back(type);
  AppendFixed(static_cast<uint32_t>(size), 4, record);
  if (size > 0) record.append(static_cast<const char*>(bytes), static_cast<size_t>(size));
}

// Size of the value at the front of `record`; nothing if there is none.
std::optional<size_t> SizeOfFirst(std::string_view record) {
  if (record.empty()) return std::nullopt;
  size_t size = 1;
  switch (record[0]) {
    case kNull:
      break;
    case kInteger:
    case kReal:
      size += 8;
      break;
    case kText:
    case kBlob:
      if (record.size() < 5) return std::nullopt;
      size += 4 + ReadFixed(record.substr(1, 4));
      break;
    default:
      return std::nullopt;
  }
  if (size > record.size()) return std::nullopt;
  return size;
}

double AsDouble(uint64_t bits) {
  double number = 0;
  std::memcpy(&number, &bits, sizeof(number));
  return number;
}

std::string ShowText(std::string_view text) {
  if (!simdjson::validate_utf8(text.data(), text.size())) return absl::StrCat("a text of ", text.size(), " bytes");
  std::string_view shown = text.substr(0, kShownCharacters);
  // Does not cut a character in two.
  while (shown.size() < text.size() && !shown.empty() && (text[shown.size()] & 0xC0) == 0x80) shown.remove_suffix(1);
  return absl::StrCat("'", ToAbsl(shown), shown.size() < text.size() ? "…'" : "'");
}

}  // namespace

void AppendValue(sqlite3_value* value, std::string& record) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      record.push_back(kInteger);
      return AppendFixed(static_cast<uint64_t>(sqlite3_value_int64(value)), 8, record);
    case SQLITE_FLOAT: {
      const double number = sqlite3_value_double(value);
      uint64_t bits = 0;
      std::memcpy(&bits, &number, sizeof(bits));
      record.push_back(kReal);
      return AppendFixed(bits, 8, record);
    }
    case SQLITE_TEXT: {
      const void* const bytes = sqlite3_value_text(value);
      return AppendBytes(kText, bytes, sqlite3_value_bytes(value), record);
    }
    case SQLITE_BLOB: {
      const void* const bytes = sqlite3_value_blob(value);
      return AppendBytes(kBlob, bytes, sqlite3_value_bytes(value), record);
    }
    default:
      record.push_back(kNull);
  }
}

std::string IntegerRecord(int64_t value) {
  std::string record(1, kInteger);
  AppendFixed(static_cast<uint64_t>(value), 8, record);
  return record;
}

std::string RowRecord(sqlite3_stmt* statement, int first, int count) {
  std::string record;
  for (int i = first; i < first + count; ++i) AppendValue(sqlite3_column_value(statement, i), record);
  return record;
}

absl::StatusOr<std::vector<std::string_view>> SplitRecord(std::string_view record) {
  std::vector<std::string_view> values;
  while (!record.empty()) {
    const std::optional<size_t> size = SizeOfFirst(record);
    if (!size.has_value()) return absl::DataLossError("a stored row of a private database is damaged");
    values.push_back(record.substr(0, *size));
    record.remove_prefix(*size);
  }
  return values;
}

std::string_view FirstValues(std::string_view record, size_t count) {
  size_t end = 0;
  for (; count > 0; --count) {
    const std::optional<size_t> size = SizeOfFirst(record.substr(end));
    if (!size.has_value()) break;
    end += *size;
  }
  return record.substr(0, end);
}

absl::Status BindValue(sqlite3_stmt* statement, int index, std::string_view value) {
  int result = SQLITE_MISMATCH;
  const std::string_view bytes = value.size() > 5 ? value.substr(5) : std::string_view("");
  switch (value.empty() ? '\0' : value[0]) {
    case kNull:
      result = sqlite3_bind_null(statement, index);
      break;
    case kInteger:
      result = sqlite3_bind_int64(statement, index, static_cast<int64_t>(ReadFixed(value.substr(1))));
      break;
    case kReal:
      result = sqlite3_bind_double(statement, index, AsDouble(ReadFixed(value.substr(1))));
      break;
    case kText:
      result = sqlite3_bind_text64(statement, index, bytes.data(), bytes.size(), SQLITE_STATIC, SQLITE_UTF8);
      break;
    case kBlob:
      result = sqlite3_bind_blob64(statement, index, bytes.data(), bytes.size(), SQLITE_STATIC);
      break;
    default:
      break;
  }
  if (result == SQLITE_OK) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("private database: a value could not be bound (", result, ")"));
}

std::string ShowValue(std::string_view value) {
  if (value.empty() || value[0] == kNull) return "NULL";
  if (value[0] == kInteger) return absl::StrCat(static_cast<int64_t>(ReadFixed(value.substr(1))));
  if (value[0] == kReal) return absl::StrCat(AsDouble(ReadFixed(value.substr(1))));
  if (value[0] == kText) return ShowText(value.substr(5));
  return absl::StrCat("a blob of ", value.size() - 5, " bytes");
}

}  // namespace toolgate::executors::sql::engine
