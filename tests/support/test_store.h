// A store for tests that do not care which backend it has.
#ifndef TOOLGATE_TESTS_SUPPORT_TEST_STORE_H_
#define TOOLGATE_TESTS_SUPPORT_TEST_STORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "common/clock.h"
#include "common/ids.h"
#include "storage/backend.h"
#include "storage/declared_fields.h"
#include "storage/row_store.h"
#include "storage/signals.h"
#include "storage/sqlite/sqlite_store.h"
#include "storage/store.h"
#include "storage/store_observer.h"
#include "storage/undo_bound.h"
#include "tests/support/store_options.h"

namespace toolgate::testing {

struct TestStoreOptions {
  std::string data_dir;
  // Borrowed, like the next two.
  const Clock* clock = &Clock::Real();
  IdSource* ids = &IdSource::Real();
  storage::StoreObserver* observer = nullptr;
  storage::OnSignal on_signal = nullptr;
  storage::DeclaredFields fields = {};
  int64_t max_undo_bytes = storage::kMaxUndoBytes;
  size_t readers = 8;
  bool background = true;
  // Puts something between the rules and the backend.
  std::function<std::unique_ptr<storage::Backend>(std::unique_ptr<storage::Backend>)> wrap = nullptr;
};

// The rules over a backend.
inline std::unique_ptr<storage::Store> MakeStoreOver(std::unique_ptr<storage::Backend> backend,
                                                     const TestStoreOptions& options) {
  if (options.wrap != nullptr) backend = options.wrap(std::move(backend));
  storage::RowStore::Options rules;
  rules.fields = options.fields;
  rules.max_undo_bytes = options.max_undo_bytes;
  rules.ids = options.ids;
  rules.clock = options.clock;
  rules.observer = options.observer;
  rules.on_signal = options.on_signal;
  return std::make_unique<storage::RowStore>(std::move(backend), std::move(rules));
}

// Opens what an earlier one left in the same folder; ends the test program if it cannot.
inline std::unique_ptr<storage::Store> MakeTestStore(const TestStoreOptions& options) {
  storage::sqlite::SqliteStore::Options backend = StoreOptions();
  backend.data_dir = options.data_dir;
  backend.clock = options.clock;
  backend.observer = options.observer;
  backend.fields = options.fields;
  backend.readers = options.readers;
  backend.background = options.background;
  return MakeStoreOver(storage::sqlite::SqliteStore::Create(backend).value(), options);
}

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_TEST_STORE_H_
