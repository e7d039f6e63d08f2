#include "cli/block_lines.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "cli/api_json.h"
#include "cli/printable.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "common/status_macros.h"

namespace toolgate::cli {
namespace {

// Below what the service takes in one message; a block's data may hold 1 MiB.
constexpr size_t kMaxLine = size_t{2} << 20;
constexpr JsonLimits kLineLimits = {.max_bytes = kMaxLine};

// A text member; absent and null are "".
absl::StatusOr<std::string> Text(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return "";
  if (!found->is_string()) return absl::InvalidArgumentError(absl::StrCat("\"", key, "\" must be a string"));
  return found->get<std::string>();
}

absl::Status CheckKeys(const Json& object) {
  static constexpr std::array<std::string_view, 4> kKnown = {"id", "type", "parentId", "data"};
  for (const auto& [key, value] : object.items()) {
    if (std::find(kKnown.begin(), kKnown.end(), key) == kKnown.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("unknown key \"", key.substr(0, 64), "\"; known are id, type, parentId and data"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

BlockLines::BlockLines(std::istream& in, int64_t total_bytes) : reader_(in, kMaxLine), total_bytes_(total_bytes) {}

absl::StatusOr<bool> BlockLines::Next(v1::PortableBlock& block) {
  do {
    ASSIGN_OR_RETURN(const bool more, reader_.Next());
    if (!more) return false;
  } while (reader_.line().find_first_not_of(" \t") == std::string_view::npos);
  absl::StatusOr<v1::PortableBlock> parsed = ParseBlockLine(reader_.line());
  if (!parsed.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(Place(), ": ", parsed.status().message()));
  }
  block = *std::move(parsed);
  return true;
}

std::string BlockLines::Place() const { return absl::StrCat("line ", reader_.number()); }

double BlockLines::Fraction() const {
  return total_bytes_ > 0 ? static_cast<double>(reader_.offset()) / static_cast<double>(total_bytes_) : -1;
}

absl::StatusOr<v1::PortableBlock> ParseBlockLine(std::string_view line) {
  ASSIGN_OR_RETURN(const Json object, ParseJson(line, kLineLimits));
  if (!object.is_object()) return absl::InvalidArgumentError("a block is one JSON object");
  RETURN_IF_ERROR(CheckKeys(object));
  v1::PortableBlock block;
  ASSIGN_OR_RETURN(*block.mutable_id(), Text(object, "id"));
  ASSIGN_OR_RETURN(*block.mutable_type(), Text(object, "type"));
  ASSIGN_OR_RETURN(*block.mutable_parent_id(), Text(object, "parentId"));
  if (block.type().empty()) return absl::InvalidArgumentError("\"type\" is missing");
  const auto data = object.find("data");
  if (data == object.end()) return absl::InvalidArgumentError("\"data\" is missing");
  if (!data->is_object()) return absl::InvalidArgumentError("\"data\" must be an object");
  block.set_data_json(DumpJson(*data));
  return block;
}

std::string FormatBlockLine(const v1::PortableBlock& block) {
  std::string line = absl::StrCat("{\"id\":", DumpJson(block.id()), ",\"type\":", DumpJson(block.type()));
  if (!block.parent_id().empty()) absl::StrAppend(&line, ",\"parentId\":", DumpJson(block.parent_id()));
  // The service sends compact JSON, which goes in as it is; anything else would break the line.
  const bool compact = block.data_json().find('\n') == std::string::npos && !block.data_json().empty();
  absl::StrAppend(&line, ",\"data\":", compact ? block.data_json() : DumpJson(EmbeddedJson(block.data_json())), "}");
  line = PrintableJsonText(line);
  line += '\n';
  return line;
}

}  // namespace toolgate::cli
