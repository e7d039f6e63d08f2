// Programs that refuse to run as root.
#ifndef TOOLGATE_TESTS_SUPPORT_UNPRIVILEGED_H_
#define TOOLGATE_TESTS_SUPPORT_UNPRIVILEGED_H_

#include <string>
#include <vector>

namespace toolgate::testing {

// Makes the user postgres, which Debian's package creates, the owner of the folder, if this process is root.
void GiveToUnprivileged(const std::string& folder);

// Starts the program as that user, if this process is root. It ends when the thread that started it does. Its output is
// appended to the file. Returns its process id.
int StartUnprivileged(const std::vector<std::string>& command, const std::string& log);

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_UNPRIVILEGED_H_
