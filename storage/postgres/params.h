// Values of a statement's parameters, in PostgreSQL's binary format.
#ifndef TOOLGATE_STORAGE_POSTGRES_PARAMS_H_
#define TOOLGATE_STORAGE_POSTGRES_PARAMS_H_

#include <postgresql/libpq-fe.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/types/span.h"

namespace toolgate::storage::postgres {

// Every string is a bytea (schema.h says why). Borrows strings and spans of bytes until the statement is sent; copies
// everything else. Used by one thread.
class Params {
 public:
  Params() = default;
  template <typename... Values>
  static Params Of(const Values&... values) {
    Params params;
    (params.Add(values), ...);
    return params;
  }

  Params& Add(bool value);
  template <typename Integer, std::enable_if_t<std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>, int> = 0>
  Params& Add(Integer value) {
    return AddInt(static_cast<int64_t>(value));
  }
  Params& Add(std::string_view bytes);
  Params& Add(const std::string& bytes) { return Add(std::string_view(bytes)); }
  Params& Add(const char* text) { return Add(std::string_view(text)); }
  // Arrays, of bigint and of bytea.
  Params& Add(absl::Span<const int64_t> values);
  Params& Add(const std::vector<int64_t>& values) { return Add(absl::MakeConstSpan(values)); }
  Params& Add(absl::Span<const std::string_view> values);
  Params& Add(const std::vector<std::string_view>& values) { return Add(absl::MakeConstSpan(values)); }
  Params& Add(const std::vector<std::string>& values);
  // Of a string that does not last.
  Params& AddCopy(std::string_view bytes);
  // Text, for functions that take it.
  Params& AddText(std::string_view text);

  int size() const { return static_cast<int>(values_.size()); }
  const Oid* types() const { return types_.data(); }
  const char* const* values() const { return values_.data(); }
  const int* lengths() const { return lengths_.data(); }
  const int* formats() const { return formats_.data(); }

 private:
  Params& AddInt(int64_t value);
  Params& AddOwned(Oid type, std::string bytes);
  Params& AddBorrowed(Oid type, std::string_view bytes);

  std::deque<std::string> owned_;
  std::vector<Oid> types_;
  std::vector<const char*> values_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
};

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_PARAMS_H_
