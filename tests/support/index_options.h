// Options of code graphs for tests.
#ifndef TOOLGATE_TESTS_SUPPORT_INDEX_OPTIONS_H_
#define TOOLGATE_TESTS_SUPPORT_INDEX_OPTIONS_H_

#include <cstdint>
#include <string>
#include <utility>

#include "executors/code_graph/index/refresh.h"

namespace toolgate::testing {

// With bounds that a test keeps unless it is about one.
inline executors::code_graph::index::IndexOptions IndexOptionsFor(std::string ctags) {
  executors::code_graph::index::IndexOptions options;
  options.ctags = std::move(ctags);
  options.processes = 2;
  options.max_files = 100'000;
  options.max_file_bytes = int64_t{2} << 20;
  options.max_index_bytes = int64_t{1} << 30;
  return options;
}

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_INDEX_OPTIONS_H_
