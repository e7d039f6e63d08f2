#include "tests/support/postgres_server.h"

#include <libpq-fe.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/support/unprivileged.h"

namespace toolgate::testing {
namespace {

constexpr char kPrograms[] = "/usr/lib/postgresql/15/bin/";

[[noreturn]] void GiveUp(const std::string& why, const std::string& log) {
  std::cerr << why << "\n";
  if (system(absl::StrCat("tail -20 '", log, "' >&2").c_str()) != 0) std::cerr << "there is no log\n";
  std::abort();
}

}  // namespace

bool PostgresServer::Installed() { return std::filesystem::exists(absl::StrCat(kPrograms, "postgres")); }

PostgresServer& PostgresServer::Shared() {
  static PostgresServer server;
  return server;
}

PostgresServer::PostgresServer(const std::vector<std::string>& settings, int port)
    : folder_(dir_.path()), settings_(settings), port_(port) {
  GiveToUnprivileged(folder_);
  Initialise();
  Start();
}

PostgresServer::~PostgresServer() { Stop(SIGQUIT); }

void PostgresServer::Initialise() {
  if (RunTool({absl::StrCat(kPrograms, "initdb"), "-D", folder_ + "/data", "-A", "trust", "-U", "toolgate", "--no-sync",
               "--encoding=UTF8", "--locale=C"}) != 0) {
    GiveUp("initdb failed", folder_ + "/log");
  }
}

int PostgresServer::RunTool(const std::vector<std::string>& command) {
  const pid_t child = StartUnprivileged(command, folder_ + "/log");
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

void PostgresServer::Start() {
  std::vector<std::string> command = {
      absl::StrCat(kPrograms, "postgres"), "-D", folder_ + "/data", "-k", folder_, "-p", absl::StrCat(port_)};
  for (const char* setting : {"listen_addresses=", "fsync=off", "full_page_writes=off", "shared_buffers=64MB",
                              "max_connections=100", "autovacuum_naptime=10s"}) {
    command.insert(command.end(), {"-c", setting});
  }
  for (const std::string& setting : settings_) command.insert(command.end(), {"-c", setting});
  child_ = StartUnprivileged(command, folder_ + "/log");
  AwaitReady();
}

void PostgresServer::AwaitReady() {
  const std::string where = absl::StrCat("host=", folder_, " port=", port_, " user=toolgate dbname=postgres");
  for (int i = 0; i < 600; ++i) {
    if (PQping(where.c_str()) == PQPING_OK) return;
    absl::SleepFor(absl::Milliseconds(50));
  }
  GiveUp("PostgreSQL has not started", folder_ + "/log");
}

void PostgresServer::Stop(int signal) {
  if (child_ <= 0) return;
  kill(child_, signal);
  waitpid(child_, nullptr, 0);
  child_ = -1;
}

void PostgresServer::Kill() { Stop(SIGQUIT); }

void PostgresServer::Restart() {
  Stop(SIGINT);
  Start();
}

absl::StatusOr<std::string> PostgresServer::Run(const std::string& database, const std::string& sql) {
  PGconn* const connection =
      PQconnectdb(absl::StrCat("host=", folder_, " port=", port_, " user=toolgate dbname=", database).c_str());
  PGresult* const result = PQexec(connection, sql.c_str());
  absl::StatusOr<std::string> value("");
  const ExecStatusType status = PQresultStatus(result);
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
    value = absl::InternalError(PQerrorMessage(connection));
  } else if (PQntuples(result) > 0 && PQnfields(result) > 0) {
    value = std::string(PQgetvalue(result, 0, 0));
  }
  PQclear(result);
  PQfinish(connection);
  return value;
}

std::vector<std::pair<std::string, std::string>> PostgresServer::Database(const std::string& name) {
  if (std::find(databases_.begin(), databases_.end(), name) == databases_.end()) {
    const absl::StatusOr<std::string> made = Run("postgres", absl::StrCat("CREATE DATABASE ", name));
    if (!made.ok()) GiveUp(std::string(made.status().message()), folder_ + "/log");
    databases_.push_back(name);
  }
  return {{"host", folder_}, {"port", absl::StrCat(port_)}, {"user", "toolgate"}, {"dbname", name}};
}

storage::postgres::Connection::Options PostgresServer::ConnectionTo(const std::string& name) {
  storage::postgres::Connection::Options options;
  options.parameters = Database(name);
  options.place = absl::StrCat(folder_, " (", name, ")");
  return options;
}

}  // namespace toolgate::testing
