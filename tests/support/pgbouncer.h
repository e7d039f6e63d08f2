// A PgBouncer in a process of its own.
#ifndef TOOLGATE_TESTS_SUPPORT_PGBOUNCER_H_
#define TOOLGATE_TESTS_SUPPORT_PGBOUNCER_H_

#include <string>

#include "tests/support/temp_dir.h"

namespace toolgate::testing {

// Debian's PgBouncer in transaction mode, before a server whose socket is in a folder. Ends with the object or with
// this process. Ends the test program if it cannot start.
class PgBouncer {
 public:
  // Whether it is installed, and TOOLGATE_TEST_PGBOUNCER asks for tests with it: its package starts a service.
  static bool IsWanted();

  explicit PgBouncer(const std::string& server);
  ~PgBouncer();
  PgBouncer(const PgBouncer&) = delete;
  PgBouncer& operator=(const PgBouncer&) = delete;

  // Of its own socket.
  const std::string& folder() const { return dir_.path(); }

 private:
  const TempDir dir_;
  int child_ = -1;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_PGBOUNCER_H_
