// Measures what a command takes of the machine, from outside of it: from the pid and network namespaces that it runs
// in.
#ifndef TOOLGATE_EXECUTORS_SHELL_LAUNCHER_USAGE_H_
#define TOOLGATE_EXECUTORS_SHELL_LAUNCHER_USAGE_H_

#include <dirent.h>
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "executors/shell/launcher/job.h"

namespace toolgate::executors::shell::launcher {

struct Usage {
  int64_t processes = 0;  // Threads.
  int64_t memory = 0;     // Bytes of memory that no file backs.
};

// Sums up all processes but the launcher's own. Memory is what the command's control group says, without what can be
// reclaimed and what bounds of their own hold: files in memory. Without a group it is what processes have resident or
// swapped, and their page tables, and the objects that the kernel keeps for them, each counted at the most that it can
// take: sockets, descriptors, mappings, threads, locks, and the inodes of file systems in memory. What is
// counted at the most is bounded for sure, in any process, and however little of it shows in a process.
// Made before the command starts, when the sandbox's file systems are mounted.
class UsageMeter {
 public:
  // `proc` is the folder /proc of the namespace; borrowed.
  UsageMeter(const Job& job, bool on_disk, DIR* proc);

  Usage Measure();

  // Another process of the launcher's.
  void LeaveOut(pid_t process) { std::snprintf(left_out_, sizeof(left_out_), "%d", process); }

 private:
  static constexpr size_t kMaxShared = 512;

  void AddGroup();
  void AddProcess(const char* pid);
  void AddObjects(const char* process, int64_t threads);
  void AddMappings(const char* process);
  void AddDescriptors(const char* process);
  void AddPolledFiles(const char* process, const char* descriptor);
  void AddShared(uint64_t inode);
  void AddRest();
  void AddLocks();
  int64_t CountInodes() const;
  bool IsOver() const { return usage_.memory > job_.max_memory_bytes; }

  const Job& job_;
  const bool on_disk_;
  DIR* const proc_;
  const bool has_group_;
  int64_t socket_bytes_ = 0;  // The most that one socket keeps.
  dev_t shared_device_ = 0;   // Of shared mappings without a file.
  int64_t own_inodes_ = 0;    // Of the launcher.
  char left_out_[16] = {};
  Usage usage_;
  size_t shared_count_ = 0;
  std::array<uint64_t, kMaxShared> shared_{};  // Inodes of such mappings.
};

}  // namespace toolgate::executors::shell::launcher

#endif  // TOOLGATE_EXECUTORS_SHELL_LAUNCHER_USAGE_H_
