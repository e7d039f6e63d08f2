#include "executors/shell/launcher/usage.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace toolgate::executors::shell::launcher {
namespace {

// The most that the kernel keeps for one object, rounded up, of Linux 6.1 to 6.18 on 64-bit machines.
constexpr int64_t kThreadBytes = 24 << 10;  // Its stack, and the task.
constexpr int64_t kMappingBytes = 256;
constexpr int64_t kDescriptorBytes = 4 << 10;  // Half a pipe of two pages; any other file is smaller.
constexpr int64_t kPolledFileBytes = 256;      // An item of an epoll instance.
constexpr int64_t kLockBytes = 256;
constexpr int64_t kInodeBytes = 2 << 10;  // Of a tmpfs, with a name of 255 bytes.

// Calls `take` for each line of a file until it returns false.
template <typename Take>
void ForEachLine(int folder, const char* path, Take take) {
  const int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  char buffer[16 << 10];
  size_t filled = 0;
  bool more = true;
  while (more) {
    const ssize_t got = read(file, buffer + filled, sizeof(buffer) - filled);
    if (got <= 0) break;
    filled += static_cast<size_t>(got);
    char* line = buffer;
    size_t left = filled;
    for (void* end = std::memchr(line, '\n', left); end != nullptr && more; end = std::memchr(line, '\n', left)) {
      *static_cast<char*>(end) = '\0';
      more = take(line);
      line = static_cast<char*>(end) + 1;
      left = filled - static_cast<size_t>(line - buffer);
    }
    std::memmove(buffer, line, left);
    // No file that is read here has a line as long as the buffer.
    filled = left == sizeof(buffer) ? 0 : left;
  }
  close(file);
}

// Reads the beginning of a file into `text`; false when there is none.
bool ReadText(int folder, const char* path, char* text, size_t size) {
  const int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t got = read(file, text, size - 1);
  close(file);
  if (got <= 0) return false;
  text[got] = '\0';
  return true;
}

// The number behind `name` in a status file, 0 if it is not there.
int64_t Field(const char* status, const char* name) {
  const char* found = std::strstr(status, name);
  return found == nullptr ? 0 : std::strtoll(found + std::strlen(name), nullptr, 10);
}

// The number of a line that begins with `name`; 0 for any other line.
int64_t NumberBehind(const char* line, const char* name) {
  const size_t size = std::strlen(name);
  return std::strncmp(line, name, size) == 0 ? std::strtoll(line + size, nullptr, 10) : 0;
}

bool HasMemory(const char* status) { return std::strstr(status, "\nRssAnon:") != nullptr; }

bool IsNumber(const char* name) { return name[0] >= '1' && name[0] <= '9'; }

// A process whose first thread has ended shows its memory in those of its other threads. Writes "PID/task/TID" and that
// thread's status.
bool FindThreadWithMemory(int proc, const char* pid, char* process, size_t process_size, char* status,
                          size_t status_size) {
  char path[300];
  std::snprintf(path, sizeof(path), "%s/task", pid);
  DIR* threads = fdopendir(openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (threads == nullptr) return false;
  bool found = false;
  while (const dirent* entry = found ? nullptr : readdir(threads)) {
    if (!IsNumber(entry->d_name)) continue;
    std::snprintf(path, sizeof(path), "%.20s/task/%.20s/status", pid, entry->d_name);
    found = ReadText(proc, path, status, status_size) && HasMemory(status);
    std::snprintf(process, process_size, "%.20s/task/%.20s", pid, entry->d_name);
  }
  closedir(threads);
  return found;
}

// The last number of a setting of the kernel.
int64_t LastNumber(int proc, const char* path) {
  char text[200];
  if (!ReadText(proc, path, text, sizeof(text))) return 0;
  long long numbers[3] = {};
  const int count = std::sscanf(text, "%lld %lld %lld", &numbers[0], &numbers[1], &numbers[2]);
  return count <= 0 ? 0 : numbers[count - 1];
}

// The most that one socket keeps of what no one has read. A command cannot enlarge its buffers. The kernel takes a
// message as long as the buffer is not full, so it may hold nearly twice of it.
int64_t SocketBytes(int proc) {
  const int probe = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  int sent = 0;
  int received = 0;
  socklen_t size = sizeof(int);
  getsockopt(probe, SOL_SOCKET, SO_SNDBUF, &sent, &size);
  getsockopt(probe, SOL_SOCKET, SO_RCVBUF, &received, &size);
  close(probe);
  const int64_t tcp = LastNumber(proc, "sys/net/ipv4/tcp_rmem") + LastNumber(proc, "sys/net/ipv4/tcp_wmem");
  return std::max({int64_t{2} * sent, int64_t{2} * received, tcp, int64_t{256} << 10});
}

struct Mapping {
  bool is_shared = false;
  dev_t device = 0;
  uint64_t inode = 0;
};

Mapping ParseMapping(const char* line) {
  Mapping mapping;
  const char* rights = std::strchr(line, ' ');
  if (rights == nullptr || std::strlen(rights) < 5 || rights[4] != 's') return mapping;
  unsigned major_number = 0;
  unsigned minor_number = 0;
  unsigned long long inode = 0;
  if (std::sscanf(rights + 5, "%*x %x:%x %llu", &major_number, &minor_number, &inode) != 3) return mapping;
  mapping.is_shared = true;
  mapping.device = makedev(major_number, minor_number);
  mapping.inode = inode;
  return mapping;
}

// The device that shared mappings without a file are on, as /proc shows it.
dev_t SharedDevice(int proc) {
  constexpr size_t kPage = 4096;
  void* const page = mmap(nullptr, kPage, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  char start[32];
  const int digits = std::snprintf(start, sizeof(start), "%08lx-", reinterpret_cast<unsigned long>(page));
  dev_t device = 0;
  ForEachLine(proc, "self/maps", [&](const char* line) {
    if (std::strncmp(line, start, static_cast<size_t>(digits)) != 0) return true;
    device = ParseMapping(line).device;
    return false;
  });
  munmap(page, kPage);
  return device;
}

int64_t BytesOf(const char* file_system) {
  struct statvfs found {};
  if (statvfs(file_system, &found) != 0 || found.f_blocks < found.f_bfree) return 0;
  return static_cast<int64_t>((found.f_blocks - found.f_bfree) * found.f_frsize);
}

int64_t InodesOf(const char* file_system) {
  struct statvfs found {};
  if (statvfs(file_system, &found) != 0 || found.f_files < found.f_ffree) return 0;
  return static_cast<int64_t>(found.f_files - found.f_ffree);
}

}  // namespace

UsageMeter::UsageMeter(const Job& job, bool on_disk, DIR* proc)
    : job_(job), on_disk_(on_disk), proc_(proc), has_group_(job.has_group != 0) {
  if (has_group_) return;
  socket_bytes_ = SocketBytes(dirfd(proc_));
  shared_device_ = SharedDevice(dirfd(proc_));
  own_inodes_ = CountInodes();
}

Usage UsageMeter::Measure() {
  usage_ = {};
  shared_count_ = 0;
  rewinddir(proc_);
  while (const dirent* entry = readdir(proc_)) {
    const bool is_own = std::strcmp(entry->d_name, "1") == 0 || std::strcmp(entry->d_name, left_out_) == 0;
    if (IsNumber(entry->d_name) && !is_own) AddProcess(entry->d_name);
  }
  if (has_group_) {
    AddGroup();
  } else if (!IsOver()) {
    AddRest();
  }
  return usage_;
}

// One that ends meanwhile counts as nothing.
void UsageMeter::AddProcess(const char* pid) {
  char process[64];
  char path[300];
  char status[4096];
  std::snprintf(process, sizeof(process), "%.20s", pid);
  std::snprintf(path, sizeof(path), "%.20s/status", pid);
  if (!ReadText(dirfd(proc_), path, status, sizeof(status))) return;
  const int64_t threads = std::max<int64_t>(1, Field(status, "\nThreads:"));
  usage_.processes += threads;
  if (has_group_) return;
  if (!HasMemory(status)) {
    if (threads == 1) return;
    if (!FindThreadWithMemory(dirfd(proc_), pid, process, sizeof(process), status, sizeof(status))) return;
  }
  for (const char* field : {"\nRssAnon:", "\nVmSwap:", "\nVmPTE:", "\nHugetlbPages:"}) {
    usage_.memory += Field(status, field) * 1024;
  }
  AddObjects(process, threads);
}

void UsageMeter::AddGroup() {
  struct Row {
    const char* name;
    int64_t sign;
  };
  // "kernel" holds page tables, stacks, pipes, and whatever else has no row of its own.
  constexpr Row kRows[] = {{"anon ", 1}, {"kernel ", 1}, {"sock ", 1}, {"shmem ", 1}, {"slab_reclaimable ", -1}};
  ForEachLine(kGroupFd, "memory.stat", [this, &kRows](const char* line) {
    for (const Row& row : kRows) usage_.memory += row.sign * NumberBehind(line, row.name);
    return true;
  });
  usage_.memory -= BytesOf(kTemporary) + BytesOf(kSharedMemory) + (on_disk_ ? 0 : BytesOf(kScratch));
}

void UsageMeter::AddObjects(const char* process, int64_t threads) {
  usage_.memory += threads * kThreadBytes;
  if (!IsOver()) AddMappings(process);
  if (!IsOver()) AddDescriptors(process);
}

void UsageMeter::AddMappings(const char* process) {
  char path[100];
  std::snprintf(path, sizeof(path), "%s/maps", process);
  ForEachLine(dirfd(proc_), path, [this](const char* line) {
    usage_.memory += kMappingBytes;
    const Mapping mapping = ParseMapping(line);
    if (mapping.is_shared && mapping.device == shared_device_) AddShared(mapping.inode);
    return !IsOver();
  });
}

// The size of what is behind a mapping is not to be had from outside, and may be more than the part that is mapped.
void UsageMeter::AddShared(uint64_t inode) {
  const auto end = shared_.begin() + static_cast<std::ptrdiff_t>(shared_count_);
  if (std::find(shared_.begin(), end, inode) != end) return;
  usage_.memory += job_.shared_mapping_bytes;
  if (shared_count_ < kMaxShared) shared_[shared_count_++] = inode;
}

// Of a few descriptors, not many can poll many others.
void UsageMeter::AddDescriptors(const char* process) {
  constexpr int64_t kFew = 16;
  constexpr char kPolling[] = "anon_inode:[eventpoll]";
  char path[100];
  std::snprintf(path, sizeof(path), "%s/fd", process);
  DIR* descriptors = fdopendir(openat(dirfd(proc_), path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptors == nullptr) return;
  int64_t count = 0;
  while (readdir(descriptors) != nullptr) ++count;
  usage_.memory += count * kDescriptorBytes;
  if (count > kFew) rewinddir(descriptors);
  while (const dirent* entry = count > kFew && !IsOver() ? readdir(descriptors) : nullptr) {
    char target[sizeof(kPolling)] = {};
    if (readlinkat(dirfd(descriptors), entry->d_name, target, sizeof(target) - 1) < 0) continue;
    if (std::strcmp(target, kPolling) == 0) AddPolledFiles(process, entry->d_name);
  }
  closedir(descriptors);
}

void UsageMeter::AddPolledFiles(const char* process, const char* descriptor) {
  char path[100];
  std::snprintf(path, sizeof(path), "%s/fdinfo/%.20s", process, descriptor);
  ForEachLine(dirfd(proc_), path, [this](const char* line) {
    if (std::strncmp(line, "tfd:", 4) == 0) usage_.memory += kPolledFileBytes;
    return !IsOver();
  });
}

// Adds what no process alone holds.
void UsageMeter::AddRest() {
  usage_.memory += std::max<int64_t>(0, CountInodes() - own_inodes_) * kInodeBytes;
  ForEachLine(dirfd(proc_), "1/net/sockstat", [this](const char* line) {
    usage_.memory += NumberBehind(line, "sockets: used ") * socket_bytes_;
    return true;
  });
  AddLocks();
}

// The kernel walks from its first lock in each page that is read, so more than a program needs are not counted on, but
// taken for too many. Locks of open files, which the filter refuses, are shown with -1 for every process.
void UsageMeter::AddLocks() {
  constexpr int64_t kMostLocks = 16384;
  int64_t locks = 0;
  ForEachLine(dirfd(proc_), "locks", [&locks](const char* line) {
    if (std::strstr(line, "OFDLCK") == nullptr) ++locks;
    return locks <= kMostLocks;
  });
  usage_.memory += locks > kMostLocks ? job_.max_memory_bytes + 1 : locks * kLockBytes;
}

int64_t UsageMeter::CountInodes() const {
  return InodesOf(kTemporary) + InodesOf(kSharedMemory) + (on_disk_ ? 0 : InodesOf(kScratch));
}

}  // namespace toolgate::executors::shell::launcher
