// The configuration files of version control, as far as shell commands are concerned.
#ifndef TOOLGATE_EXECUTORS_SHELL_GIT_CONFIG_H_
#define TOOLGATE_EXECUTORS_SHELL_GIT_CONFIG_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace toolgate::executors::shell {

// The text as commands see it: the keys whose values are no place for passwords, without users in URLs, but for the
// names of ssh. Neither comments nor what follows an error in the text. A filter that is left out is required instead.
std::string WithoutCredentials(std::string_view config);

// The first key, as "section.key", that is none of those which clone, init and ordinary use set and which let git start
// no program. Nothing when there is none. "its text" for a text that is no configuration. `is_worktree` says of which
// values core.worktree is one of these; it is of none without.
std::optional<std::string> RiskyKeyOf(std::string_view config,
                                      const std::function<bool(std::string_view value)>& is_worktree = nullptr);

// The last value of a key in lower case, "section.key", without a subsection.
std::optional<std::string> ValueOf(std::string_view config, std::string_view key);

// Replaces the folder `from` by `to` where the text has it as a whole path or the beginning of one.
std::string MoveRoot(std::string_view text, std::string_view from, std::string_view to);

}  // namespace toolgate::executors::shell

#endif  // TOOLGATE_EXECUTORS_SHELL_GIT_CONFIG_H_
