#include "executors/cypher/syntax/cypher_error.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/absl_bridge.h"
#include "common/text/utf8.h"

namespace toolgate::executors::cypher::syntax {
namespace {

constexpr char kPayloadUrl[] = "type.googleapis.com/toolgate.cypher.Error";
constexpr char kSeparator = '\x1f';  // Unit separator; the message comes last and may contain it.
constexpr size_t kFields = 7;

std::string Encode(const CypherError& error) {
  return absl::StrCat(error.phase == ErrorPhase::kCompile ? "c" : "r", std::string(1, kSeparator), error.offset,
                      std::string(1, kSeparator), error.line, std::string(1, kSeparator), error.column,
                      std::string(1, kSeparator), error.kind, std::string(1, kSeparator), error.detail,
                      std::string(1, kSeparator), error.message);
}

}  // namespace

CypherError MakeSyntaxError(std::string_view detail, std::string_view message, std::string_view text, size_t offset) {
  CypherError error;
  error.kind = "SyntaxError";
  error.detail = detail;
  error.message = message;
  SetPosition(error, text, offset);
  return error;
}

void SetPosition(CypherError& error, std::string_view text, size_t offset) {
  error.offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, error.offset);
  error.line = 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
  const size_t newline = before.rfind('\n');
  error.column = 1 + text::CountCharacters(newline == std::string_view::npos ? before : before.substr(newline + 1));
}

std::string ToString(const CypherError& error) {
  const std::string detail = error.detail.empty() ? "" : absl::StrCat(" (", error.detail, ")");
  const std::string place = error.line == 0 ? "" : absl::StrCat(" at line ", error.line, ", column ", error.column);
  return absl::StrCat(error.kind, detail, place, ": ", error.message);
}

absl::Status ToStatus(const CypherError& error) {
  const absl::StatusCode code =
      error.phase == ErrorPhase::kCompile ? absl::StatusCode::kInvalidArgument : absl::StatusCode::kFailedPrecondition;
  absl::Status status(code, ToString(error));
  status.SetPayload(kPayloadUrl, absl::Cord(Encode(error)));
  return status;
}

std::optional<CypherError> GetCypherError(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayloadUrl);
  if (!payload.has_value()) return std::nullopt;
  const std::vector<std::string> fields =
      absl::StrSplit(std::string(*payload), absl::MaxSplits(kSeparator, kFields - 1));
  CypherError error;
  if (fields.size() != kFields || !absl::SimpleAtoi(fields[1], &error.offset) ||
      !absl::SimpleAtoi(fields[2], &error.line) || !absl::SimpleAtoi(fields[3], &error.column)) {
    return std::nullopt;
  }
  error.phase = fields[0] == "c" ? ErrorPhase::kCompile : ErrorPhase::kRuntime;
  error.kind = fields[4];
  error.detail = fields[5];
  error.message = fields[6];
  return error;
}

}  // namespace toolgate::executors::cypher::syntax
