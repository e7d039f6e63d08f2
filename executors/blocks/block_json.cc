#include "executors/blocks/block_json.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "common/json.h"

namespace toolgate::executors::blocks {
namespace {

// Range of times whose year has four digits: 0000-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z.
constexpr int64_t kFirstMillis = -62'167'219'200'000;
constexpr int64_t kLastMillis = 253'402'300'799'999;

// Writes `value` with leading zeros so that it ends before `end`.
void PutDigits(int64_t value, int count, char* end) {
  for (int i = 0; i < count; ++i, value /= 10) *--end = static_cast<char>('0' + value % 10);
}

}  // namespace

void AppendTime(absl::Time time, std::string& out) {
  // By the standard library's calendar: absl's costs many times as much, since it knows of time zones.
  const std::chrono::sys_time<std::chrono::milliseconds> millis{
      std::chrono::milliseconds(std::clamp(absl::ToUnixMillis(time), kFirstMillis, kLastMillis))};
  const auto day = std::chrono::floor<std::chrono::days>(millis);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{millis - day};
  std::array<char, 27> text = {'"', '0', '0', '0', '0', '-', '0', '0', '-', '0', '0', 'T', '0',
                               '0', ':', '0', '0', ':', '0', '0', '.', '0', '0', '0', 'Z', '"'};
  char* const start = text.data();
  PutDigits(int{date.year()}, 4, start + 5);
  PutDigits(unsigned{date.month()}, 2, start + 8);
  PutDigits(unsigned{date.day()}, 2, start + 11);
  PutDigits(clock.hours().count(), 2, start + 14);
  PutDigits(clock.minutes().count(), 2, start + 17);
  PutDigits(clock.seconds().count(), 2, start + 20);
  PutDigits(clock.subseconds().count(), 3, start + 24);
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
