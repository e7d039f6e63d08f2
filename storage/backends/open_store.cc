#include "storage/backends/open_store.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/status_macros.h"
#include "observability/tracing/attribute_names.h"
#include "storage/row_store.h"
#include "storage/sqlite/sqlite_store.h"
#include "storage/traced_store.h"

namespace toolgate::storage::backends {
namespace {

constexpr char kDatabaseName[] = "toolgate.db";

sqlite::SqliteStore::Options SqliteOptions(const config::v1::Storage& config, const StoreEnvironment& environment) {
  sqlite::SqliteStore::Options options;
  options.data_dir = config.data_dir();
  options.max_batch = static_cast<size_t>(config.sqlite().max_batch());
  options.readers = static_cast<size_t>(config.sqlite().readers());
  options.cache_kib = config.sqlite().cache_kib();
  options.log_limit = int64_t{config.sqlite().log_limit_mib()} << 20;
  options.reader_shares = environment.reader_shares;
  options.clock = environment.clock;
  options.observer = environment.observer;
  options.fields = environment.fields;
  options.on_maintenance_failed = environment.on_maintenance_failed;
  return options;
}

RowStore::Options RulesOf(StoreEnvironment environment) {
  RowStore::Options options;
  options.fields = std::move(environment.fields);
  options.ids = environment.ids;
  options.clock = environment.clock;
  options.observer = environment.observer;
  options.on_signal = std::move(environment.on_signal);
  return options;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Store>> OpenStore(const config::v1::Storage& config, StoreEnvironment environment) {
  ASSIGN_OR_RETURN(std::unique_ptr<sqlite::SqliteStore> backend,
                   sqlite::SqliteStore::Create(SqliteOptions(config, environment)));
  auto store = std::make_unique<RowStore>(std::move(backend), RulesOf(std::move(environment)));
  const TracedDatabase database{observability::tracing::kSqlite, kDatabaseName,
                                observability::tracing::SpanKind::kInternal};
  return std::make_unique<TracedStore>(std::move(store), database);
}

}  // namespace toolgate::storage::backends
