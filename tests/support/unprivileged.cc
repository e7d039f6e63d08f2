#include "tests/support/unprivileged.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

namespace toolgate::testing {
namespace {

constexpr char kUser[] = "postgres";

// In a child: gives up the rights of root, which the server refuses.
void BecomeUnprivileged() {
  if (geteuid() != 0) return;
  const passwd* const user = getpwnam(kUser);
  if (user == nullptr || setgroups(0, nullptr) != 0 || setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0)
    _exit(126);
}

[[noreturn]] void Execute(const std::vector<std::string>& command, const std::string& log) {
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  BecomeUnprivileged();
  prctl(PR_SET_PDEATHSIG, SIGQUIT);
  if (out >= 0) {
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
  }
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  if (chdir("/") == 0) execv(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

void GiveToUnprivileged(const std::string& folder) {
  if (geteuid() != 0) return;
  const passwd* const user = getpwnam(kUser);
  if (user != nullptr && chown(folder.c_str(), user->pw_uid, user->pw_gid) == 0) return;
  std::cerr << "there is no user postgres; install postgresql-15\n";
  std::abort();
}

int StartUnprivileged(const std::vector<std::string>& command, const std::string& log) {
  const pid_t child = fork();
  if (child == 0) Execute(command, log);
  return child;
}

}  // namespace toolgate::testing
