// Opens the store that the configuration names.
#ifndef TOOLGATE_STORAGE_BACKENDS_OPEN_STORE_H_
#define TOOLGATE_STORAGE_BACKENDS_OPEN_STORE_H_

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/clock.h"
#include "common/fairness/fair_shares.h"
#include "common/ids.h"
#include "storage/declared_fields.h"
#include "storage/signals.h"
#include "storage/store.h"
#include "storage/store_observer.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::storage::backends {

// Needs of a store beside its own section of the configuration.
struct StoreEnvironment {
  DeclaredFields fields = {};           // Of the types of blocks.
  fairness::Shares reader_shares = {};  // Of snapshots, when callers wait for them.
  const Clock* clock = &Clock::Real();  // Borrowed, like the next two.
  IdSource* ids = &IdSource::Real();
  StoreObserver* observer = nullptr;
  OnSignal on_signal = nullptr;  // Told of what was committed.
  // Called when upkeep fails, and not again until it has succeeded.
  std::function<void(const absl::Status&)> on_maintenance_failed = nullptr;
};

// A store whose operations are spans of the calls they are for. UNAVAILABLE, naming the place and the remedy, if it
// cannot be used now; FAILED_PRECONDITION if it is a newer program's.
absl::StatusOr<std::unique_ptr<Store>> OpenStore(const config::v1::Storage& config, StoreEnvironment environment);

}  // namespace toolgate::storage::backends

#endif  // TOOLGATE_STORAGE_BACKENDS_OPEN_STORE_H_
