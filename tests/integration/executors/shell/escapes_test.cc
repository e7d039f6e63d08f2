// Attempts to leave the sandbox, or to take more of the machine than a command may have. Each runs as root and as an
// ordinary user.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/find_processes.h"
#include "tests/support/sandbox_options.h"
#include "tests/support/sandbox_run.h"
#include "tests/support/temp_dir.h"

namespace toolgate {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ProcessesWith;
using testing::RunInSandbox;
using testing::SandboxJob;
using testing::SandboxRun;

// Name and number of the error of a system call, by its number on this machine and its arguments.
std::string Call(const std::string& number_and_arguments) {
  return absl::StrCat("perl -e 'my $r = syscall(", number_and_arguments, "); print $r == -1 ? $!+0 : \"done\"'");
}

class EscapesTest : public ::testing::TestWithParam<uid_t> {
 protected:
  void SetUp() override {
    TOOLGATE_NEEDS_SANDBOX(user());
    std::ofstream(workspace() + "/file") << "content\n";
    testing::GiveTo(user(), workspace());
  }
  uid_t user() const { return GetParam() == 0 ? geteuid() : GetParam(); }
  const std::string& workspace() const { return dir_.path(); }
  SandboxRun Run(const std::string& command) const { return Run(SandboxJob{.command = command}); }
  SandboxRun Run(SandboxJob job) const {
    job.user = user();
    SandboxRun run = RunInSandbox(workspace(), job);
    EXPECT_EQ(run.error, "");
    return run;
  }
  // The output of a command without its last line feed.
  std::string Answer(const std::string& command) const {
    std::string out = Run(command).out;
    if (!out.empty() && out.back() == '\n') out.pop_back();
    return out;
  }

  const testing::TempDir dir_;
};

// --- namespaces and rights ------------------------------------------------------------------------------------------

TEST_P(EscapesTest, ACommandHasNamespacesOfItsOwn) {
  for (const char* name : {"user", "pid", "net", "ipc", "uts", "cgroup", "mnt"}) {
    const std::string path = absl::StrCat("/proc/self/ns/", name);
    if (!std::filesystem::exists(path)) continue;
    EXPECT_NE(Answer("readlink " + path), std::filesystem::read_symlink(path).string()) << name;
  }
}

TEST_P(EscapesTest, ItHasNoRights) {
  EXPECT_EQ(Answer("grep -E '^Cap(Inh|Prm|Eff|Amb)' /proc/self/status | cut -f2 | sort -u"), "0000000000000000");
  EXPECT_EQ(Answer("grep NoNewPrivs /proc/self/status | cut -f2"), "1");
  EXPECT_EQ(Answer("grep ^Seccomp: /proc/self/status | cut -f2"), "2");
  EXPECT_EQ(Answer("id -u"), "1000");
}

TEST_P(EscapesTest, ASetUserIdProgramGivesNone) {
  EXPECT_EQ(
      Answer(
          "cp /bin/bash shell && chmod 6755 shell && ./shell -p -c 'id -u; grep CapEff /proc/self/status | cut -f2'"),
      "1000\n0000000000000000");
  EXPECT_THAT(Run("mount -t tmpfs none /tmp").exit_code, Not(0));
}

TEST_P(EscapesTest, ItMakesNoUserNamespace) {
  EXPECT_NE(Run("unshare --user true").exit_code, 0);
  EXPECT_NE(Run("unshare --user --map-root-user --mount true").exit_code, 0);
}

#ifdef __x86_64__
TEST_P(EscapesTest, DangerousSystemCallsAreRefused) {
  struct Row {
    const char* name;
    const char* call;
    int error;
  };
  const Row rows[] = {{"unshare user", "272, 0x10000000", EPERM},
                      {"clone user", "56, 0x10000011, 0, 0, 0, 0", EPERM},
                      {"clone3", "435, 0, 0", ENOSYS},
                      {"setns", "308, 0, 0", EPERM},
                      {"mount", "165, 0, 0, 0, 0, 0", EPERM},
                      {"pivot_root", "155, 0, 0", EPERM},
                      {"ptrace", "101, 16, 1, 0, 0", EPERM},
                      {"process_vm_readv", "310, 1, 0, 0, 0, 0, 0", EPERM},
                      {"kexec_load", "246, 0, 0, 0, 0", EPERM},
                      {"bpf", "321, 0, 0, 0", EPERM},
                      {"perf_event_open", "298, 0, 0, 0, 0, 0", EPERM},
                      {"keyctl", "250, 0, 0, 0, 0, 0", EPERM},
                      {"add_key", "248, 0, 0, 0, 0, 0", EPERM},
                      {"io_uring_setup", "425, 1, 0", EPERM},
                      {"userfaultfd", "323, 0", EPERM},
                      {"open_by_handle_at", "304, 0, 0, 0", EPERM},
                      {"init_module", "175, 0, 0, 0", EPERM},
                      {"memfd_create", "319, 0, 0", ENOSYS},
                      {"shmget", "29, 0, 4096, 0x380", ENOSYS},
                      {"personality", "135, 8", EPERM},
                      {"landlock_create_ruleset", "444, 0, 0, 1", ENOSYS},
                      {"pages lent to a pipe", "278, 1, 0, 0, 0", EINVAL},
                      {"a larger pipe", "72, 1, 1031, 1048576", EPERM},
                      {"a thread with descriptors of its own", "56, 0x10900, 0, 0, 0, 0", EPERM},
                      {"a process that shares them", "56, 0x411, 0, 0, 0, 0", EPERM},
                      {"a lock of an open file", "72, 1, 37, 0", EINVAL},
                      {"the same by close_range", "436, 100, 200, 2", EINVAL},
                      {"a large shared mapping", "9, 0, 8392704, 3, 0x21, -1, 0", ENOMEM},
                      {"a socket of the hypervisor", "41, 40, 1, 0", EAFNOSUPPORT},
                      {"a netlink socket", "41, 16, 3, 0", EAFNOSUPPORT},
                      {"a packet socket", "41, 17, 3, 0", EAFNOSUPPORT},
                      {"a crypto socket", "41, 38, 5, 0", EAFNOSUPPORT}};
  std::string all;
  std::string expected;
  for (const Row& row : rows) {
    absl::StrAppend(&all, "echo \"", row.name, ": $(", Call(row.call), ")\"\n");
    absl::StrAppend(&expected, row.name, ": ", row.error, "\n");
  }
  EXPECT_EQ(Run(all).out, expected);
}
#endif

TEST_P(EscapesTest, NothingIsTypedIntoATerminal) {
  // TIOCSTI, TIOCLINUX and TIOCSTI with bits that the kernel does not look at, on a terminal of its own.
  EXPECT_EQ(Answer("perl -e 'open(my $t, \"+<\", \"/dev/ptmx\") or die; my $x = \"x\";"
                   "for my $r (0x5412, 0x541C) { print ioctl($t, $r, $x) ? \"done\" : $!+0, \" \"; }'"),
            "1 1 ");
  EXPECT_NE(Run("echo x > /dev/tty").exit_code, 0);
}

TEST_P(EscapesTest, ItMakesNoDevices) {
  EXPECT_NE(Run("mknod device c 1 1").exit_code, 0);
  EXPECT_NE(Run("mknod /tmp/device b 8 0").exit_code, 0);
  EXPECT_NE(Run("mknod whiteout c 0 0").exit_code, 0);
}

TEST_P(EscapesTest, ItSetsNoAttributesOfTheOverlay) {
  const SandboxRun run =
      Run("mkdir x; command -v setfattr >/dev/null || exit 5; setfattr -n user.overlay.opaque -v y x");
  EXPECT_THAT(run.changes, "folder 755 x\n");
}

// --- the machine's files --------------------------------------------------------------------------------------------

TEST_P(EscapesTest, TheMachinesFilesAreNotThere) {
  for (const char* path : {"/etc/shadow", "/root", "/home", "/var/lib", "/var/log", "/run", "/sys", "/boot", "/mnt",
                           "/srv", "/opt", "/etc/ssl/private", "/proc/1/root/root"}) {
    EXPECT_NE(Run(absl::StrCat("ls ", path)).exit_code, 0) << path;
  }
  EXPECT_EQ(Answer("ls -A /tmp"), "");
  EXPECT_EQ(Run("ls / /etc").err, "");
}

TEST_P(EscapesTest, TheSystemIsReadOnly) {
  for (const char* path : {"/x", "/usr/x", "/etc/x", "/etc/passwd", "/dev/x", "/bin/bash", "/var/x", "/proc/x"}) {
    EXPECT_NE(Run(absl::StrCat("echo x > ", path)).exit_code, 0) << path;
  }
}

TEST_P(EscapesTest, SettingsOfTheKernelAreReadOnly) {
  EXPECT_EQ(Answer("find /proc -maxdepth 4 -type f -writable -not -path '/proc/[0-9]*' 2>/dev/null |"
                   "while read -r file; do [ ! -f \"$file\" ] || echo \"$file\"; done"),
            "");
  for (const char* path : {"/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches", "/proc/sysrq-trigger",
                           "/proc/sys/kernel/hostname", "/proc/self/oom_score_adj"}) {
    EXPECT_NE(Run(absl::StrCat("echo 1 > ", path)).exit_code, 0) << path;
  }
}

TEST_P(EscapesTest, NoFolderLeadsOutOfTheWorkspace) {
  std::ofstream(workspace() + "/../toolgate-escape-canary") << "canary";
  EXPECT_THAT(Run("cat ../toolgate-escape-canary /workspace/../toolgate-escape-canary; ls -A ..").out,
              Not(HasSubstr("canary")));
  std::filesystem::remove(workspace() + "/../toolgate-escape-canary");
}

TEST_P(EscapesTest, NoDescriptorOfTheServiceIsOpen) {
  EXPECT_EQ(Answer("ls /proc/self/fd | wc -l"), "4");
  EXPECT_EQ(Answer("readlink /proc/self/fd/0"), "/dev/null");
}

TEST_P(EscapesTest, NoEnvironmentOfTheServiceIsThere) {
  ASSERT_EQ(setenv("TOOLGATE_CANARY", "a-secret-of-the-service", 1), 0);
  const SandboxRun run = Run("env; cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'");
  EXPECT_THAT(run.out, HasSubstr("HOME=/tmp"));
  EXPECT_THAT(run.out, Not(HasSubstr("a-secret-of-the-service")));
}

// --- processes ------------------------------------------------------------------------------------------------------

TEST_P(EscapesTest, NoProcessOfTheMachineIsSeenOrReached) {
  EXPECT_EQ(Answer(absl::StrCat("kill -0 ", getpid(), " 2>/dev/null || echo none")), "none");
  const std::string count = Answer("ls /proc | grep -c '^[0-9]'");
  EXPECT_LE(std::stoi(count), 8);
  Run("kill -9 -1; kill -9 1");
}

TEST_P(EscapesTest, NothingOutlivesACommand) {
  const SandboxRun run =
      Run("setsid sleep 98761 & (setsid nohup bash -c 'trap \"\" TERM HUP INT; exec -a sleep-98761 sleep 98761' &)"
          " ; perl -e 'fork and exit; fork and exit; exec \"sleep\", \"98761\"' ; exit 3");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(ProcessesWith("98761"), IsEmpty());
}

TEST_P(EscapesTest, NothingOutlivesAKilledCommand) {
  const SandboxRun run = Run(
      SandboxJob{.command = "trap '' TERM; (setsid sleep 98762 &); sleep 98762", .timeout = absl::Milliseconds(500)});
  EXPECT_EQ(run.killed, "timeout");
  EXPECT_THAT(ProcessesWith("98762"), IsEmpty());
}

TEST_P(EscapesTest, NothingOutlivesTheService) {
  const pid_t service = fork();
  if (service == 0) {
    testing::RunAs(user(), [&]() -> std::string {
      const auto sandbox = executors::shell::sandbox::Sandbox::Create(testing::SandboxOptions()).value();
      const Descriptor folder(open(workspace().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      const auto command =
          sandbox->Start({folder.get(), "", "(setsid sleep 98763 &); sleep 98763", {}, absl::Minutes(5)}).value();
      while (ProcessesWith("98763").size() < 4) std::this_thread::yield();
      raise(SIGKILL);
      return "";
    });
    std::_Exit(0);
  }
  waitpid(service, nullptr, 0);
  // The kernel closes the dead process's descriptors, which the launcher waits for.
  while (!ProcessesWith("98763").empty()) std::this_thread::yield();
}

TEST_P(EscapesTest, AForkBombIsContained) {
  SandboxJob job{.command = "bomb() { bomb | bomb & }; bomb; sleep 1; bomb; sleep 5 98764",
                 .timeout = absl::Seconds(2)};
  job.options.limits.max_processes = 100;
  const SandboxRun run = Run(job);
  EXPECT_TRUE(run.killed == "processes" || run.killed == "timeout" || run.exit_code != 0) << run.killed;
  EXPECT_LT(run.took, absl::Seconds(10));
  EXPECT_THAT(ProcessesWith("98764"), IsEmpty());
}

TEST_P(EscapesTest, ACommandHasNoMoreProcessesThanItMay) {
  SandboxJob job{.command = "for i in $(seq 60); do sleep 1 & done 2>/dev/null; jobs -r | wc -l; wait"};
  job.options.limits.max_processes = 40;
  const SandboxRun run = Run(job);
  EXPECT_TRUE(run.killed == "processes" || (!run.out.empty() && std::stoi(run.out) < 40) || run.exit_code == 254)
      << run.out << run.err << run.exit_code;
}

// --- memory, disk, time ---------------------------------------------------------------------------------------------

TEST_P(EscapesTest, AProcessHasNoMoreMemoryThanItMay) {
  SandboxJob job{.command = "perl -e 'my $x = \"x\" x 400_000_000; print length $x'"};
  job.options.limits.max_memory_bytes = 200'000'000;
  const SandboxRun run = Run(job);
  EXPECT_TRUE(run.killed == "memory" || run.exit_code != 0);
  EXPECT_EQ(run.out, "");
}

TEST_P(EscapesTest, AllProcessesTogetherHaveNoMoreMemoryThanTheyMay) {
  SandboxJob job{.command = "for i in 1 2 3 4 5; do perl -e 'my $x = \"x\" x 100_000_000; sleep 20' & done; wait"};
  job.options.limits.max_memory_bytes = 300'000'000;
  EXPECT_EQ(Run(job).killed, "memory");
}

TEST_P(EscapesTest, ItsTemporaryFilesAreBounded) {
  SandboxJob job{.command =
                     "head -c 20000000 /dev/zero > /tmp/x; echo $?; stat -c %s /tmp/x;"
                     "head -c 200000000 /dev/zero > /dev/shm/x; echo $?; echo x > /dev/x; echo $?"};
  job.options.limits.max_temporary_bytes = 10'000'000;
  const SandboxRun run = Run(job);
  EXPECT_THAT(run.out, ::testing::MatchesRegex("1\n[0-9]*\n1\n1\n"));
  EXPECT_THAT(run.err, HasSubstr("No space left on device"));
}

TEST_P(EscapesTest, AFileIsBounded) {
  SandboxJob job{.command = "head -c 20000000 /dev/zero > x; echo $?; stat -c %s x"};
  job.options.limits.max_file_bytes = 10'000'000;
  EXPECT_THAT(Run(job).out, HasSubstr("\n10000000\n"));
}

TEST_P(EscapesTest, ProcessorTimeIsBounded) {
  SandboxJob job{.command = "while :; do :; done"};
  job.options.limits.max_cpu = absl::Seconds(1);
  const SandboxRun run = Run(job);
  EXPECT_EQ(run.exit_code, 128 + SIGKILL);
}

// --- network --------------------------------------------------------------------------------------------------------

TEST_P(EscapesTest, TheNetworkIsOutOfReach) {
  const Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listener.get(), 1), 0);
  ASSERT_EQ(getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string port = absl::StrCat(ntohs(address.sin_port));
  EXPECT_NE(Run("exec 3<>/dev/tcp/127.0.0.1/" + port).exit_code, 0);
  EXPECT_NE(Run("exec 3<>/dev/tcp/192.0.2.1/80").exit_code, 0);
  EXPECT_EQ(Answer("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '"), "lo");
}

TEST_P(EscapesTest, AbstractSocketsOfTheMachineAreOutOfReach) {
  const Descriptor listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = absl::StrCat("toolgate-escape-", getpid());
  name.copy(address.sun_path + 1, name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  ASSERT_EQ(bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listener.get(), 1), 0);
  EXPECT_EQ(Answer(absl::StrCat("perl -MSocket -e 'socket(my $s, AF_UNIX, SOCK_STREAM, 0) or die;"
                                "print connect($s, pack(\"Sa*\", AF_UNIX, \"\\0",
                                name, "\")) ? \"reached\" : \"none\"'")),
            "none");
}

INSTANTIATE_TEST_SUITE_P(By, EscapesTest, ::testing::Values(uid_t{0}, testing::kNobody),
                         [](const auto& test) { return std::string(test.param == 0 ? "Root" : "AUser"); });

}  // namespace
}  // namespace toolgate
