// Interface of a backend under test for the contract suite.
#ifndef TOOLGATE_TESTS_CONTRACT_STORAGE_STORE_FACTORY_H_
#define TOOLGATE_TESTS_CONTRACT_STORAGE_STORE_FACTORY_H_

#include <cstdint>
#include <memory>
#include <string>

#include "common/clock.h"
#include "storage/store.h"

namespace toolgate::storage::testing {

// Empty storage, created for each test and removed with it.
class StoreFactory {
 public:
  virtual ~StoreFactory() = default;

  // A store over this storage; never two at a time. Opening again shows what an earlier one made durable.
  // `max_undo_bytes`: limit of its undo entries.
  virtual std::unique_ptr<Store> Open(const Clock& clock, int64_t max_undo_bytes) = 0;
};

// One row per backend.
struct Backend {
  std::string name;
  std::unique_ptr<StoreFactory> (*make)();
};

}  // namespace toolgate::storage::testing

#endif  // TOOLGATE_TESTS_CONTRACT_STORAGE_STORE_FACTORY_H_
