#include "tests/support/pgbouncer.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/support/unprivileged.h"

namespace toolgate::testing {
namespace {

constexpr char kProgram[] = "/usr/sbin/pgbouncer";

}  // namespace

bool PgBouncer::IsWanted() {
  return std::getenv("TOOLGATE_TEST_PGBOUNCER") != nullptr && std::filesystem::exists(kProgram);
}

PgBouncer::PgBouncer(const std::string& server) {
  std::ofstream(folder() + "/users") << "\"toolgate\" \"\"\n";
  std::ofstream(folder() + "/pgbouncer.ini") << absl::StrCat(
      "[databases]\n* = host=", server, "\n[pgbouncer]\nlisten_port = 5432\nunix_socket_dir = ", folder(),
      "\nauth_type = trust\nauth_file = ", folder(), "/users\npool_mode = transaction\nmax_client_conn = 200\n",
      "default_pool_size = 20\npidfile = ", folder(), "/pid\n");
  GiveToUnprivileged(folder());
  child_ = StartUnprivileged({kProgram, folder() + "/pgbouncer.ini"}, folder() + "/log");
  for (int i = 0; i < 200 && !std::filesystem::exists(folder() + "/.s.PGSQL.5432"); ++i) {
    absl::SleepFor(absl::Milliseconds(50));
  }
  if (std::filesystem::exists(folder() + "/.s.PGSQL.5432")) return;
  std::cerr << "PgBouncer has not started\n";
  std::abort();
}

PgBouncer::~PgBouncer() {
  kill(child_, SIGINT);
  waitpid(child_, nullptr, 0);
}

}  // namespace toolgate::testing
