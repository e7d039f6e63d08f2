// An effect for tests: a tool that keeps small files in a folder, outside of the store.
#ifndef TOOLGATE_TESTS_SUPPORT_SCRATCH_TOOL_H_
#define TOOLGATE_TESTS_SUPPORT_SCRATCH_TOOL_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "executors/catalog.h"

namespace toolgate::testing {

// Hooks with which a test interferes with a running tool.
struct ScratchHooks {
  // Called at each place at which a process might end: "begun", "staged", "about to rename", "renamed", and "sending"
  // and "sent". Null: nothing.
  std::function<void(std::string_view)> at = nullptr;
  // Called when the handler has staged the file; OK: it continues; an error is its result.
  std::function<absl::Status()> fail = nullptr;
  // Called before the recoverer examines anything; an error is its result.
  std::function<absl::Status()> fail_recovery = nullptr;
  // Whether automations ask a person first, as the tool's definition says.
  bool automations_ask = false;
};

// A catalogue of tools for tests of effects. "scratch_write" {"name", "text"} writes a file of `folder` and answers
// {"bytes"}; "scratch_read" {"name"}, read-only and with untrusted data, answers {"text"}; "scratch_send" {"name"} is
// an effect that cannot be taken back, and nobody can tell of one that was interrupted whether it was made: it appends
// a line to the file "sent" beside `folder`; "scratch_plain", a WriteHandler, makes a page and answers {"id"}; and
// "trigger_automation" and "undo" are the service's own. Each write that takes effect appends a line with the call's
// key to the file "acts" beside `folder`. `hooks` is borrowed.
std::shared_ptr<const executors::Catalog> ScratchCatalog(const std::string& folder, const ScratchHooks& hooks);

// The bytes of a file; empty if it does not exist.
std::string ReadScratch(const std::string& path);

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_SCRATCH_TOOL_H_
