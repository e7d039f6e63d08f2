// Size of a page of a listing.
#ifndef TOOLGATE_SERVICES_API_PAGE_H_
#define TOOLGATE_SERVICES_API_PAGE_H_

#include <google/protobuf/message_lite.h>

#include <cstddef>
#include <cstdint>

#include "common/message_bounds.h"

namespace toolgate::services::api {

// Counts the rows of one page, which has room for so many of them and for so many bytes (common/message_bounds.h). Not
// thread-safe.
class Page {
 public:
  explicit Page(int64_t max_rows) : max_rows_(max_rows) {}

  // Whether `row` has a place on the page, which it then takes. The first always has: no row is long enough to be too
  // long for a message by itself, and a listing must go on.
  bool Take(const google::protobuf::MessageLite& row) {
    const size_t bytes = row.ByteSizeLong();
    if (rows_ == max_rows_ || (rows_ > 0 && bytes_ + bytes > kMaxPageBytes)) return false;
    ++rows_;
    bytes_ += bytes;
    return true;
  }

 private:
  const int64_t max_rows_;
  int64_t rows_ = 0;
  size_t bytes_ = 0;
};

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_PAGE_H_
