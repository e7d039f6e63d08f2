#include "interchange/jsonl/block_lines.h"

#include <algorithm>
#include <initializer_list>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "common/portable_block.h"
#include "common/status_macros.h"
#include "common/stored_json.h"

namespace toolgate::interchange::jsonl {
namespace {

// Every block that an export writes can be read again: a line is its JSON and the members around it, with an escape of
// up to six bytes for an invisible character.
constexpr const JsonLimits& kLineLimits = kStoredJson;

// A text member; absent and null are "".
absl::StatusOr<std::string> Text(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return "";
  if (!found->is_string()) return absl::InvalidArgumentError(absl::StrCat("\"", key, "\" must be a string"));
  return found->get<std::string>();
}

// `listing` names `known` for people.
absl::Status CheckKeys(const Json& object, std::initializer_list<std::string_view> known, std::string_view listing) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("unknown key \"", key.substr(0, 64), "\"; known are ", ToAbsl(listing)));
    }
  }
  return absl::OkStatus();
}

absl::Status ReadLinks(const Json& object, v1::PortableBlock& block) {
  const auto links = object.find("links");
  if (links == object.end()) return absl::OkStatus();
  if (!links->is_array()) return absl::InvalidArgumentError("\"links\" must be an array");
  for (const Json& row : *links) {
    if (!row.is_object()) return absl::InvalidArgumentError("a link is an object of fromId, toId and relation");
    RETURN_IF_ERROR(CheckKeys(row, {"fromId", "toId", "relation"}, "fromId, toId and relation"));
    v1::PortableLink& link = *block.add_links();
    ASSIGN_OR_RETURN(*link.mutable_from_id(), Text(row, "fromId"));
    ASSIGN_OR_RETURN(*link.mutable_to_id(), Text(row, "toId"));
    ASSIGN_OR_RETURN(*link.mutable_relation(), Text(row, "relation"));
    if (link.from_id().empty() || link.to_id().empty() || link.relation().empty()) {
      return absl::InvalidArgumentError("a link needs fromId, toId and relation");
    }
  }
  return absl::OkStatus();
}

std::string FormatLinks(const v1::PortableBlock& block) {
  Json links = Json::array();
  for (const v1::PortableLink& link : block.links()) {
    links.push_back({{"fromId", link.from_id()}, {"toId", link.to_id()}, {"relation", link.relation()}});
  }
  return DumpJson(links);
}

// The service sends compact JSON, which is used unchanged; anything else would break the line.
std::string OnOneLine(const std::string& json) {
  if (!json.empty() && json.find('\n') == std::string::npos) return json;
  const absl::StatusOr<Json> value = ParseJson(json, kLineLimits);
  return DumpJson(value.ok() ? *value : Json(json));
}

}  // namespace

BlockLines::BlockLines(std::istream& in, int64_t total_bytes)
    : reader_(in, kLineLimits.max_bytes), total_bytes_(total_bytes) {}

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
  RETURN_IF_ERROR(CheckKeys(object, {"id", "type", "parentId", "data", "links"}, "id, type, parentId, data and links"));
  v1::PortableBlock block;
  ASSIGN_OR_RETURN(*block.mutable_id(), Text(object, "id"));
  ASSIGN_OR_RETURN(*block.mutable_type(), Text(object, "type"));
  ASSIGN_OR_RETURN(*block.mutable_parent_id(), Text(object, "parentId"));
  RETURN_IF_ERROR(ReadLinks(object, block));
  const auto data = object.find("data");
  if (data == object.end() && IsMoreLinks(block)) return block;
  if (block.type().empty()) return absl::InvalidArgumentError("\"type\" is missing");
  if (data == object.end()) return absl::InvalidArgumentError("\"data\" is missing");
  if (!data->is_object()) return absl::InvalidArgumentError("\"data\" must be an object");
  block.set_data_json(DumpJson(*data));
  return block;
}

std::string FormatBlockLine(const v1::PortableBlock& block) {
  std::string line = absl::StrCat("{\"id\":", DumpJson(block.id()));
  if (!IsMoreLinks(block)) {
    absl::StrAppend(&line, ",\"type\":", DumpJson(block.type()));
    if (!block.parent_id().empty()) absl::StrAppend(&line, ",\"parentId\":", DumpJson(block.parent_id()));
    absl::StrAppend(&line, ",\"data\":", OnOneLine(block.data_json()));
  }
  if (!block.links().empty()) absl::StrAppend(&line, ",\"links\":", FormatLinks(block));
  line += "}\n";
  return line;
}

}  // namespace toolgate::interchange::jsonl
