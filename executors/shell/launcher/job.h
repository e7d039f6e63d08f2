// The agreement between the service and its launcher, the small program that builds a sandbox. Plain data: the launcher
// knows nothing of the service but this header.
#ifndef TOOLGATE_EXECUTORS_SHELL_LAUNCHER_JOB_H_
#define TOOLGATE_EXECUTORS_SHELL_LAUNCHER_JOB_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace toolgate::executors::shell::launcher {

// Descriptors that the launcher is started with. 0 to 2 are those of the command.
inline constexpr int kControlFd = 3;  // A SOCK_SEQPACKET pair: carries reports; its end tells the launcher to kill all.
inline constexpr int kWorkspaceFd = 4;  // The workspace's directory, the overlay's lower layer.
inline constexpr int kJobFd = 5;        // A Job, and after it its texts.
inline constexpr int kFilterFd = 6;     // The seccomp program, handed on to bubblewrap.
inline constexpr int kLauncherFd = 7;   // The launcher's own program.
inline constexpr int kGroupFd = 8;      // The folder of the command's control group, if the job has one.

// Folders of the merged directory and the files of /etc, for the arguments of bubblewrap. They are below one that every
// machine has, hidden by the scratch space in the launcher's own mount namespace.
inline constexpr char kScratch[] = "/tmp";
inline constexpr char kMerged[] = "/tmp/merged";
inline constexpr char kEtc[] = "/tmp/etc";
inline constexpr char kTemporary[] = "/tmp/temporary";  // The command's /tmp.
inline constexpr char kSharedMemory[] = "/tmp/shm";     // Its /dev/shm.
inline constexpr char kTerminals[] = "/tmp/terminals";  // Its /dev/pts.

// Bounds of the command's /dev/shm.
inline constexpr int64_t kSharedMemoryBytes = int64_t{64} << 20;
inline constexpr int64_t kSharedMemoryFiles = 4096;

// A path of the workspace that commands cannot change, or find with another content than the directory has there.
struct Guard {
  enum class Kind : char {
    kReadOnly = 'r',  // As it is, with all below it.
    kContent = 'c',   // A file with `content`, read-only.
    kFolder = 'd',    // An empty folder, read-only.
    kShown = 's',     // A file with `content`, which commands may change.
  };
  std::string path = {};  // Canonical.
  Kind kind = Kind::kReadOnly;
  std::string content = {};
};

// Followed by texts, each ended by a zero byte: the folder of the scratch space (empty: a tmpfs), `hidden` paths,
// `guards` pairs of a path and its kind's letter with the content, `etc_files` pairs of a name and its content, and
// `arguments` of bubblewrap, of which the first is its path.
struct Job {
  int64_t timeout_ms = 0;
  int64_t max_changed_bytes = 0;     // Of the upper layer.
  int64_t max_changed_files = 0;     // The same, in inodes.
  int64_t own_files = 0;             // Inodes of the scratch space besides: what hides paths, and the like.
  int64_t max_temporary_bytes = 0;   // /tmp.
  int64_t max_temporary_files = 0;   // The same, in inodes.
  int64_t max_memory_bytes = 0;      // Of each process, and of all together.
  int64_t shared_mapping_bytes = 0;  // Charge of a shared mapping without a file; not with a control group.
  int64_t max_cpu_seconds = 0;       // Of each process.
  int64_t max_processes = 0;         // Of all together, threads included.
  int64_t max_file_bytes = 0;
  int64_t max_open_files = 0;  // Of each process.
  uint32_t has_group = 0;      // 1: a control group, at kGroupFd.
  uint32_t hidden = 0;
  uint32_t guards = 0;
  uint32_t etc_files = 0;
  uint32_t arguments = 0;
  uint32_t text_bytes = 0;
};

// The texts of a job, as the service has them.
struct JobTexts {
  std::string scratch_folder;
  std::vector<std::string> hidden;
  std::vector<Guard> guards;
  std::vector<std::pair<std::string, std::string>> etc_files;  // The content "/" stands for a folder.
  std::vector<std::string> arguments;
};

// The bytes that the launcher reads from kJobFd; sets the counts of `job`. No text may hold a zero byte.
std::string EncodeJob(Job job, const JobTexts& texts);

enum class ReportKind : int32_t {
  kReady = 1,  // The sandbox is built; carries a descriptor of the upper layer.
  kEnded,      // `value` is the exit status of bubblewrap, as waitpid has it.
  kFailed,     // The sandbox could not be built: `value` is an errno, `step` the attempt.
};

// Why a command was killed.
enum class Cause : int32_t { kNone = 0, kTimeout, kMemory, kProcesses, kDisk };

struct Report {
  ReportKind kind = ReportKind::kFailed;
  int32_t value = 0;
  Cause cause = Cause::kNone;
  char step[52] = {};
};

}  // namespace toolgate::executors::shell::launcher

#endif  // TOOLGATE_EXECUTORS_SHELL_LAUNCHER_JOB_H_
