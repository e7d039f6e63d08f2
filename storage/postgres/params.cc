#include "storage/postgres/params.h"

#include <utility>

namespace toolgate::storage::postgres {
namespace {

// Types of pg_type, which never change.
constexpr Oid kBool = 16;
constexpr Oid kBytea = 17;
constexpr Oid kInt8 = 20;
constexpr Oid kText = 25;
constexpr Oid kByteaArray = 1001;
constexpr Oid kInt8Array = 1016;

void AppendInt32(std::string& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
}

void AppendInt64(std::string& out, uint64_t value) {
  AppendInt32(out, static_cast<uint32_t>(value >> 32));
  AppendInt32(out, static_cast<uint32_t>(value));
}

// One dimension that begins at 1; none for an empty array.
void AppendArrayHead(std::string& out, Oid element, size_t count) {
  AppendInt32(out, count == 0 ? 0 : 1);
  AppendInt32(out, 0);  // No element is NULL.
  AppendInt32(out, element);
  if (count == 0) return;
  AppendInt32(out, static_cast<uint32_t>(count));
  AppendInt32(out, 1);
}

template <typename Strings>
std::string ArrayOf(const Strings& strings) {
  size_t size = 20;
  for (const auto& bytes : strings) size += 4 + bytes.size();
  std::string out;
  out.reserve(size);
  AppendArrayHead(out, kBytea, strings.size());
  for (const auto& bytes : strings) {
    AppendInt32(out, static_cast<uint32_t>(bytes.size()));
    out.append(bytes);
  }
  return out;
}

}  // namespace

Params& Params::AddBorrowed(Oid type, std::string_view bytes) {
  types_.push_back(type);
  // A null pointer would be NULL.
  values_.push_back(bytes.data() == nullptr ? "" : bytes.data());
  lengths_.push_back(static_cast<int>(bytes.size()));
  formats_.push_back(1);
  return *this;
}

Params& Params::AddOwned(Oid type, std::string bytes) {
  owned_.push_back(std::move(bytes));
  return AddBorrowed(type, owned_.back());
}

Params& Params::Add(bool value) { return AddOwned(kBool, std::string(1, value ? '\1' : '\0')); }

Params& Params::AddInt(int64_t value) {
  std::string bytes;
  AppendInt64(bytes, static_cast<uint64_t>(value));
  return AddOwned(kInt8, std::move(bytes));
}

Params& Params::Add(std::string_view bytes) { return AddBorrowed(kBytea, bytes); }
Params& Params::AddCopy(std::string_view bytes) { return AddOwned(kBytea, std::string(bytes)); }
Params& Params::AddText(std::string_view text) { return AddBorrowed(kText, text); }

Params& Params::Add(absl::Span<const int64_t> values) {
  std::string out;
  out.reserve(20 + 12 * values.size());
  AppendArrayHead(out, kInt8, values.size());
  for (const int64_t value : values) {
    AppendInt32(out, 8);
    AppendInt64(out, static_cast<uint64_t>(value));
  }
  return AddOwned(kInt8Array, std::move(out));
}

Params& Params::Add(absl::Span<const std::string_view> values) { return AddOwned(kByteaArray, ArrayOf(values)); }
Params& Params::Add(const std::vector<std::string>& values) { return AddOwned(kByteaArray, ArrayOf(values)); }

}  // namespace toolgate::storage::postgres
