// The configuration files of version control, as far as shell commands are concerned.
#ifndef TOOLGATE_EXECUTORS_SHELL_GIT_CONFIG_H_
#define TOOLGATE_EXECUTORS_SHELL_GIT_CONFIG_H_

#include <optional>
#include <string>
#include <string_view>

namespace toolgate::executors::shell {

// The text without what may be a password: users in URLs, but for the names of ssh, and lines of keys such as
// http.extraHeader. All else is as it was.
std::string WithoutCredentials(std::string_view config);

// The first key, as "section.key", that is none of those which clone, init and ordinary use set and which let git start
// no program. Nothing when there is none. "its text" for a text that is no configuration.
std::optional<std::string> RiskyKeyOf(std::string_view config);

// Replaces the folder `from` by `to` where the text has it as a whole path or the beginning of one.
std::string MoveRoot(std::string_view text, std::string_view from, std::string_view to);

}  // namespace toolgate::executors::shell

#endif  // TOOLGATE_EXECUTORS_SHELL_GIT_CONFIG_H_
