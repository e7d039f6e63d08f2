#include "executors/blocks/block_json.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "common/json.h"

namespace toolgate::executors::blocks {
namespace {

// Writes `value` with leading zeros so that it ends before `end`.
void PutDigits(int64_t value, int count, char* end) {
  for (int i = 0; i < count; ++i, value /= 10) *--end = static_cast<char>('0' + value % 10);
}

}  // namespace

void AppendTime(absl::Time time, std::string& out) {
  const absl::TimeZone::CivilInfo info = absl::UTCTimeZone().At(time);
  std::array<char, 27> text = {'"', '0', '0', '0', '0', '-', '0', '0', '-', '0', '0', 'T', '0',
                               '0', ':', '0', '0', ':', '0', '0', '.', '0', '0', '0', 'Z', '"'};
  char* const start = text.data();
  PutDigits(std::clamp<int64_t>(info.cs.year(), 0, 9999), 4, start + 5);
  PutDigits(info.cs.month(), 2, start + 8);
  PutDigits(info.cs.day(), 2, start + 11);
  PutDigits(info.cs.hour(), 2, start + 14);
  PutDigits(info.cs.minute(), 2, start + 17);
  PutDigits(info.cs.second(), 2, start + 20);
  PutDigits(absl::ToInt64Milliseconds(info.subsecond), 3, start + 24);
  out.append(start, 26);
}

void AppendOpenBlock(const storage::Block& block, std::optional<int64_t> position, std::string& out) {
  out.reserve(out.size() + block.data.size() + 320);
  out += R"({"id":)";
  AppendJsonString(block.id, out);
  out += R"(,"type":)";
  AppendJsonString(block.type, out);
  out += R"(,"parentId":)";
  if (block.parent_id.empty()) {
    out += "null";
  } else {
    AppendJsonString(block.parent_id, out);
  }
  out += R"(,"data":)";
  out += block.data;
  if (position.has_value()) absl::StrAppend(&out, R"(,"position":)", *position);
  absl::StrAppend(&out, R"(,"version":)", block.version, R"(,"createdAt":)");
  AppendTime(block.created_at, out);
  out += R"(,"createdBy":)";
  AppendJsonString(block.created_by, out);
  out += R"(,"updatedAt":)";
  AppendTime(block.updated_at, out);
  out += R"(,"updatedBy":)";
  AppendJsonString(block.updated_by, out);
}

void AppendBlock(const storage::Block& block, std::string& out) {
  AppendOpenBlock(block, std::nullopt, out);
  out += '}';
}

}  // namespace toolgate::executors::blocks
