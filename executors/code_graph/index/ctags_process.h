// A running universal-ctags.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_CTAGS_PROCESS_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_CTAGS_PROCESS_H_

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "executors/code_graph/index/tag.h"

namespace toolgate::executors::code_graph::index {

struct CtagsLimits {
  absl::Duration max_time = absl::Seconds(10);  // For one file.
  size_t max_output_bytes = size_t{64} << 20;   // Of one file's tags.
  size_t max_memory_bytes = size_t{1} << 30;    // Of the process.
};

// The program to run: `configured`, or else the first of the usual places that has one. FAILED_PRECONDITION says what
// is missing: universal-ctags with the features json, interactive and sandbox.
absl::StatusOr<std::string> FindCtags(const std::string& configured);

// One child process, which is given the contents of files and answers their tags. It runs in universal-ctags' sandbox
// mode: a seccomp filter of its own leaves it no system call that opens a file, a socket or a process, and it reads
// neither option files nor the environment. Besides, its memory, files and privileges are bounded, and a file that
// takes too long ends it. It sees the last segment of a path, as a hint for the language, and never opens one.
//
// Used by one thread at a time. The destructor ends the process.
class CtagsProcess {
 public:
  static absl::StatusOr<std::unique_ptr<CtagsProcess>> Start(const std::string& program, const CtagsLimits& limits);
  CtagsProcess(const CtagsProcess&) = delete;
  CtagsProcess& operator=(const CtagsProcess&) = delete;
  ~CtagsProcess();

  // The tags of a file in the order in which ctags finds them. An error says that this file is too much for the
  // process, which must not be used afterwards: DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED (output), or ABORTED when it
  // ended, or CANCELLED once `may_go_on`, which is asked often, says no.
  absl::StatusOr<std::vector<Tag>> Parse(std::string_view file_name, std::string_view content,
                                         const std::function<bool()>& may_go_on);

 private:
  class Exchange;

  CtagsProcess(pid_t pid, int fd, const CtagsLimits& limits) : pid_(pid), fd_(fd), limits_(limits) {}

  const pid_t pid_;
  const int fd_;  // Our end of the socket that is its standard input and output.
  const CtagsLimits limits_;
  std::string unread_;  // Output that belongs to no answer yet.
};

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_CTAGS_PROCESS_H_
