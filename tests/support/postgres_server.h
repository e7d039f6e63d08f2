// A PostgreSQL server in a process of its own.
#ifndef TOOLGATE_TESTS_SUPPORT_POSTGRES_SERVER_H_
#define TOOLGATE_TESTS_SUPPORT_POSTGRES_SERVER_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/postgres/postgres_store.h"
#include "tests/support/temp_dir.h"

namespace toolgate::testing {

// Debian's PostgreSQL 15 in a temporary folder, reached through a Unix socket there. It runs as an unprivileged user,
// as it must, does not wait for the disk, and ends with the object or with this process. Ends the test program if it
// cannot start.
class PostgresServer {
 public:
  // Whether postgresql-15 is installed.
  static bool Installed();
  // One for the whole test program, started by the first call.
  static PostgresServer& Shared();

  // `settings`: further ones, such as "max_connections=10".
  // `port`: part of the socket's name, and of a TCP address if the settings name one.
  explicit PostgresServer(const std::vector<std::string>& settings = {}, int port = 5432);
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // Keywords of libpq for the database, which is made if it does not exist.
  std::vector<std::pair<std::string, std::string>> Database(const std::string& name);
  storage::postgres::Connection::Options ConnectionTo(const std::string& name);
  // Runs statements in the database, and returns the first value of the last one's result.
  absl::StatusOr<std::string> Run(const std::string& database, const std::string& sql);

  // Ends it at once, as a crash would, or starts it again with the same data.
  void Kill();
  void Start();
  // Ends it after its transactions are rolled back, and starts it again.
  void Restart();
  const std::string& folder() const { return folder_; }

 private:
  void Initialise();
  int RunTool(const std::vector<std::string>& command);
  void Stop(int signal);
  void AwaitReady();

  const TempDir dir_;
  const std::string folder_;
  const std::vector<std::string> settings_;
  const int port_;
  int child_ = -1;
  std::vector<std::string> databases_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_POSTGRES_SERVER_H_
