// Requirements of layer 1's fuzz targets for every reading of a text.
#ifndef TOOLGATE_TESTS_FUZZ_TEXT_VIEW_CHECK_H_
#define TOOLGATE_TESTS_FUZZ_TEXT_VIEW_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "security/injection_defence/text/text_view.h"

namespace toolgate::testing {

inline void Require(bool condition) {
  if (!condition) std::abort();
}

// Every byte has a valid origin in the original text, which has `size` bytes.
inline void CheckView(const security::injection_defence::text::TextView& view, size_t size) {
  Require(view.text.size() == view.origin.size());
  for (const uint32_t origin : view.origin) Require(origin < size);
}

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_FUZZ_TEXT_VIEW_CHECK_H_
