#ifndef TOOLGATE_EXECUTORS_SQL_ENGINE_PAGE_SOURCE_H_
#define TOOLGATE_EXECUTORS_SQL_ENGINE_PAGE_SOURCE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace toolgate::executors::sql::engine {

inline constexpr int64_t kPageSize = 4096;

// Pages of a private database as one snapshot sees them. Numbered from 0; every page has kPageSize bytes. Used by one
// thread at a time.
class PageSource {
 public:
  virtual ~PageSource() = default;
  virtual absl::StatusOr<int64_t> PageCount() = 0;
  virtual absl::StatusOr<std::string> ReadPage(int64_t number) = 0;
};

}  // namespace toolgate::executors::sql::engine

#endif  // TOOLGATE_EXECUTORS_SQL_ENGINE_PAGE_SOURCE_H_
