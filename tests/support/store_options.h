// Sizes of a store for tests.
#ifndef TOOLGATE_TESTS_SUPPORT_STORE_OPTIONS_H_
#define TOOLGATE_TESTS_SUPPORT_STORE_OPTIONS_H_

#include "storage/sqlite/sqlite_store.h"

namespace toolgate::testing {

// Everything but the directory.
inline storage::sqlite::SqliteStore::Options StoreOptions() {
  storage::sqlite::SqliteStore::Options options;
  options.max_batch = 64;
  options.readers = 8;
  options.cache_kib = 2048;
  return options;
}

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_STORE_OPTIONS_H_
