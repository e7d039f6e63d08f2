#include "storage/backends/open_store.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "observability/tracing/attribute_names.h"
#include "storage/postgres/postgres_store.h"
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

// libpq's keywords for what the configuration says.
std::vector<std::pair<std::string, std::string>> KeywordsOf(const config::v1::Postgres& config) {
  const config::v1::PostgresTls& tls = config.tls();
  std::vector<std::pair<std::string, std::string>> keywords = {
      {"host", config.host()},
      {"port", absl::StrCat(config.port())},
      {"dbname", config.database()},
      {"user", config.user()},
      {"sslmode", tls.mode()},
      {"gssencmode", "disable"},
      {"fallback_application_name", "toolgate"},
      // A peer that is gone is noticed within a minute, also while nothing is sent.
      {"keepalives_idle", "20"},
      {"keepalives_interval", "10"},
      {"keepalives_count", "3"},
      {"tcp_user_timeout", "60000"},
  };
  if (!tls.root_certificate_file().empty()) keywords.emplace_back("sslrootcert", tls.root_certificate_file());
  if (!tls.certificate_file().empty()) keywords.emplace_back("sslcert", tls.certificate_file());
  if (!tls.private_key_file().empty()) keywords.emplace_back("sslkey", tls.private_key_file());
  // A standby could serve reads alone.
  if (!config.transaction_pooler()) keywords.emplace_back("target_session_attrs", "read-write");
  return keywords;
}

postgres::PostgresStore::Options PostgresOptions(const config::v1::Postgres& config,
                                                 const StoreEnvironment& environment) {
  postgres::PostgresStore::Options options;
  options.connection.parameters = KeywordsOf(config);
  options.connection.password_file = config.password_file();
  options.connection.place = absl::StrCat(config.host(), ":", config.port(), "/", config.database());
  options.connection.connect_timeout = FromProtoDuration(config.connect_timeout());
  options.connection.reply_timeout = FromProtoDuration(config.statement_timeout()) + absl::Seconds(30);
  options.connection.prepares = !config.transaction_pooler();
  options.pool_size = static_cast<size_t>(config.pool_size());
  options.max_batch = static_cast<size_t>(config.max_batch());
  options.timeouts.statement = FromProtoDuration(config.statement_timeout());
  options.timeouts.lock = FromProtoDuration(config.lock_timeout());
  options.read_shares = environment.reader_shares;
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
  std::unique_ptr<Backend> backend;
  TracedDatabase database;
  if (config.postgres().host().empty()) {
    ASSIGN_OR_RETURN(backend, sqlite::SqliteStore::Create(SqliteOptions(config, environment)));
    database = {observability::tracing::kSqlite, kDatabaseName, observability::tracing::SpanKind::kInternal};
  } else {
    ASSIGN_OR_RETURN(backend, postgres::PostgresStore::Create(PostgresOptions(config.postgres(), environment)));
    database = {observability::tracing::kPostgresql, config.postgres().database()};
  }
  auto store = std::make_unique<RowStore>(std::move(backend), RulesOf(std::move(environment)));
  return std::make_unique<TracedStore>(std::move(store), database);
}

}  // namespace toolgate::storage::backends
