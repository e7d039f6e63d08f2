#include "executors/shell/sandbox/seccomp_filter.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/descriptor.h"
#include "common/status_macros.h"

namespace toolgate::executors::shell::sandbox {
namespace {

struct Release {
  void operator()(void* context) const { seccomp_release(context); }
};
using Filter = std::unique_ptr<void, Release>;

// Calls that are refused whatever their arguments; those that this libseccomp does not know by name yet are missing in
// the kernels that it knows.
constexpr const char* kRefused[] = {
    // Mounts and roots.
    "mount",
    "umount",
    "umount2",
    "pivot_root",
    "chroot",
    "move_mount",
    "open_tree",
    "fsopen",
    "fsconfig",
    "fsmount",
    "fspick",
    "mount_setattr",
    "swapon",
    "swapoff",
    "quotactl",
    "quotactl_fd",
    // Namespaces.
    "unshare",
    "setns",
    // Other processes.
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "process_madvise",
    "kcmp",
    "pidfd_getfd",
    // The kernel.
    "kexec_load",
    "kexec_file_load",
    "init_module",
    "finit_module",
    "delete_module",
    "create_module",
    "reboot",
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    "add_key",
    "keyctl",
    "request_key",
    "syslog",
    "acct",
    "lookup_dcookie",
    "nfsservctl",
    "uselib",
    "_sysctl",
    "sysfs",
    "vhangup",
    "iopl",
    "ioperm",
    "vm86",
    "vm86old",
    "modify_ldt",
    "fanotify_init",
    "open_by_handle_at",
    "name_to_handle_at",
    // Clocks and names of the machine.
    "settimeofday",
    "clock_settime",
    "clock_settime64",
    "clock_adjtime",
    "clock_adjtime64",
    "adjtimex",
    "stime",
    "sethostname",
    "setdomainname",
    "personality",
    // Placement of memory, which is the machine's.
    "mbind",
    "set_mempolicy",
    "migrate_pages",
    "move_pages",
};

// Calls that programs do without when they do not exist. The flags of clone3 are out of a filter's sight.
constexpr const char* kMissing[] = {
    "clone3",
    "memfd_create",
    "memfd_secret",
    "shmget",
    "shmat",
    "shmctl",
    "shmdt",
    "msgget",
    "msgsnd",
    "msgrcv",
    "msgctl",
    "semget",
    "semop",
    "semctl",
    "semtimedop",
    "mq_open",
    "landlock_create_ruleset",
};

// CLOSE_RANGE_UNSHARE, which glibc names for programs that define _GNU_SOURCE only.
constexpr scmp_datum_t kUnshareDescriptors = 1u << 1;

constexpr scmp_datum_t kNamespaces[] = {CLONE_NEWUSER, CLONE_NEWNS,  CLONE_NEWPID,   CLONE_NEWNET,
                                        CLONE_NEWIPC,  CLONE_NEWUTS, CLONE_NEWCGROUP};

absl::Status Failed(const char* name, int error) {
  return absl::InternalError(absl::StrCat("libseccomp refuses a rule for ", name, ": error ", -error));
}

absl::Status Refuse(const Filter& filter, const char* name, int error, std::initializer_list<scmp_arg_cmp> when = {}) {
  const int call = seccomp_syscall_resolve_name(name);
  if (call == __NR_SCMP_ERROR) return absl::OkStatus();
  const int failed = seccomp_rule_add_array(filter.get(), SCMP_ACT_ERRNO(static_cast<uint16_t>(error)), call,
                                            static_cast<unsigned>(when.size()), when.begin());
  return failed == 0 ? absl::OkStatus() : Failed(name, failed);
}

absl::Status RefuseNamespaces(const Filter& filter) {
  for (const scmp_datum_t flag : kNamespaces) {
    RETURN_IF_ERROR(Refuse(filter, "clone", EPERM, {SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag)}));
  }
  return absl::OkStatus();
}

// The kernel looks at the lower half of a request alone.
absl::Status RefuseTerminalInput(const Filter& filter) {
  for (const scmp_datum_t request : {scmp_datum_t{TIOCSTI}, scmp_datum_t{TIOCLINUX}, scmp_datum_t{TIOCCONS}}) {
    RETURN_IF_ERROR(Refuse(filter, "ioctl", EPERM, {SCMP_A1(SCMP_CMP_MASKED_EQ, 0xFFFFFFFFu, request)}));
  }
  return absl::OkStatus();
}

absl::Status RefuseDevices(const Filter& filter) {
  for (const scmp_datum_t kind : {scmp_datum_t{S_IFCHR}, scmp_datum_t{S_IFBLK}}) {
    RETURN_IF_ERROR(Refuse(filter, "mknod", EPERM, {SCMP_A1(SCMP_CMP_MASKED_EQ, S_IFMT, kind)}));
    RETURN_IF_ERROR(Refuse(filter, "mknodat", EPERM, {SCMP_A2(SCMP_CMP_MASKED_EQ, S_IFMT, kind)}));
  }
  return absl::OkStatus();
}

// Families between and beyond those that are allowed.
absl::Status RefuseSockets(const Filter& filter) {
  constexpr uint32_t kHigh = 0xFFFFFFFFu;
  RETURN_IF_ERROR(Refuse(filter, "socket", EAFNOSUPPORT, {SCMP_A0(SCMP_CMP_GT, AF_INET6, 0)}));
  for (scmp_datum_t family = 0; family < AF_INET6; ++family) {
    if (family == AF_UNIX || family == AF_INET) continue;
    RETURN_IF_ERROR(Refuse(filter, "socket", EAFNOSUPPORT, {SCMP_A0(SCMP_CMP_MASKED_EQ, kHigh, family)}));
  }
  return absl::OkStatus();
}

// Buffers keep the size that the launcher counts with. The kernel too grants less than was asked for without a word.
absl::Status KeepBuffers(const Filter& filter) {
  constexpr uint32_t kInt = 0xFFFFFFFFu;
  for (const scmp_datum_t option : {scmp_datum_t{SO_SNDBUF}, scmp_datum_t{SO_RCVBUF}}) {
    RETURN_IF_ERROR(Refuse(filter, "setsockopt", 0,
                           {SCMP_A1(SCMP_CMP_MASKED_EQ, kInt, SOL_SOCKET), SCMP_A2(SCMP_CMP_MASKED_EQ, kInt, option)}));
  }
  return Refuse(filter, "fcntl", EPERM, {SCMP_A1(SCMP_CMP_MASKED_EQ, kInt, F_SETPIPE_SZ)});
}

// Memory and descriptors that no process shows: pages lent to a pipe, of which one keeps the huge page that it is part
// of; tables of descriptors that are a single thread's, or outlive the process that locked files by them; locks that
// belong to an open file. What asks for these takes EINVAL for an older kernel.
absl::Status RefuseHiddenHoldings(const Filter& filter) {
  constexpr uint32_t kInt = 0xFFFFFFFFu;
  RETURN_IF_ERROR(Refuse(filter, "vmsplice", EINVAL));
  for (const scmp_datum_t flag : {scmp_datum_t{CLONE_THREAD}, scmp_datum_t{CLONE_FILES}}) {
    RETURN_IF_ERROR(Refuse(filter, "clone", EPERM, {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD | CLONE_FILES, flag)}));
  }
  for (const scmp_datum_t command : {scmp_datum_t{F_OFD_SETLK}, scmp_datum_t{F_OFD_SETLKW}}) {
    RETURN_IF_ERROR(Refuse(filter, "fcntl", EINVAL, {SCMP_A1(SCMP_CMP_MASKED_EQ, kInt, command)}));
  }
  return Refuse(filter, "close_range", EINVAL, {SCMP_A2(SCMP_CMP_MASKED_EQ, kUnshareDescriptors, kUnshareDescriptors)});
}

absl::Status BoundSharedMappings(const Filter& filter, int64_t max_bytes) {
  constexpr scmp_datum_t kShared = MAP_SHARED | MAP_ANONYMOUS;
  return Refuse(
      filter, "mmap", ENOMEM,
      {SCMP_A1(SCMP_CMP_GT, static_cast<scmp_datum_t>(max_bytes), 0), SCMP_A3(SCMP_CMP_MASKED_EQ, kShared, kShared)});
}

absl::Status AddRules(const Filter& filter) {
  for (const char* name : kRefused) RETURN_IF_ERROR(Refuse(filter, name, EPERM));
  for (const char* name : kMissing) RETURN_IF_ERROR(Refuse(filter, name, ENOSYS));
  RETURN_IF_ERROR(RefuseNamespaces(filter));
  RETURN_IF_ERROR(RefuseTerminalInput(filter));
  RETURN_IF_ERROR(RefuseDevices(filter));
  RETURN_IF_ERROR(KeepBuffers(filter));
  RETURN_IF_ERROR(RefuseHiddenHoldings(filter));
  return RefuseSockets(filter);
}

absl::StatusOr<std::string> Export(const Filter& filter) {
  const Descriptor file(memfd_create("seccomp", MFD_CLOEXEC));
  if (!file.valid()) return absl::ErrnoToStatus(errno, "cannot make a file in memory");
  if (const int failed = seccomp_export_bpf(filter.get(), file.get()); failed != 0) return Failed("export", failed);
  std::string program(static_cast<size_t>(lseek(file.get(), 0, SEEK_END)), '\0');
  if (pread(file.get(), program.data(), program.size(), 0) != static_cast<ssize_t>(program.size())) {
    return absl::ErrnoToStatus(errno, "cannot read the seccomp program");
  }
  return program;
}

}  // namespace

absl::StatusOr<std::string> CompileSeccompFilter(std::optional<int64_t> max_shared_mapping) {
  const Filter filter(seccomp_init(SCMP_ACT_ALLOW));
  if (filter == nullptr) return absl::InternalError("libseccomp makes no filter");
  seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  // A binary search over the calls instead of a list.
  seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);
  RETURN_IF_ERROR(AddRules(filter));
  if (max_shared_mapping.has_value()) RETURN_IF_ERROR(BoundSharedMappings(filter, *max_shared_mapping));
  return Export(filter);
}

}  // namespace toolgate::executors::shell::sandbox
