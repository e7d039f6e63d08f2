// Predictable ids.
#ifndef TOOLGATE_TESTS_SUPPORT_COUNTING_IDS_H_
#define TOOLGATE_TESTS_SUPPORT_COUNTING_IDS_H_

#include <string>

#include "absl/time/time.h"
#include "common/ids.h"

namespace toolgate::testing {

// "id1", "id2" and so on. Not thread-safe.
class CountingIds final : public IdSource {
 public:
  std::string NewId(absl::Time) override { return "id" + std::to_string(++count_); }
  std::string RandomBytes(size_t count) override { return std::string(count, 'r'); }

 private:
  int count_ = 0;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_COUNTING_IDS_H_
