// Commands that take memory which is not resident: buffers, inodes, tables and other objects of the kernel. Each tries
// to hold some four times its bound and prints what it got. Beside them, programs that must go on working.
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <ostream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/sandbox_options.h"
#include "tests/support/sandbox_run.h"
#include "tests/support/temp_dir.h"

namespace toolgate {
namespace {

using executors::shell::sandbox::Groups;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunInSandbox;
using testing::SandboxJob;
using testing::SandboxRun;

constexpr int64_t kMegabyte = int64_t{1} << 20;
constexpr int64_t kBound = 96 * kMegabyte;

// Before each attack: `held` adds bytes that the kernel keeps, `share` runs an attack in several processes at once.
constexpr char kCommon[] = R"perl(
use strict; use warnings; no warnings "portable"; use Socket; use Fcntl; use IO::Handle; use Time::HiRes qw(sleep);
my $held = 0; my @kept; my $most = 400 << 20; my $block = "x" x 4096;
pipe(my $results, my $result) or die;
sub fill { my $end = shift; my $got; $end->blocking(0);
           while ($held < $most && ($got = syswrite($end, $block))) { $held += $got } }
sub share { my ($workers, $attack) = @_; $most /= $workers;
            for (1 .. $workers) { next if fork; $attack->(); syswrite $result, "$held\n"; sleep 30; exit }
            for (1 .. $workers) { $held += readline $results } }
sub done { sleep 1.5; print "held $held\n"; kill 9, -1; exit }
)perl";

struct Attack {
  const char* name;
  const char* script;
};

constexpr Attack kAttacks[] = {
    {"UnixStreams", R"perl(
      share(8, sub { for (1 .. 100) { socketpair(my $to, my $from, AF_UNIX, SOCK_STREAM, 0) or last;
        setsockopt($to, SOL_SOCKET, SO_SNDBUF, 4 << 20); push @kept, $to, $from; fill($to) } });)perl"},
    {"UnixStreamsWhoseSendersAreGone", R"perl(
      share(8, sub { for (1 .. 400) { socketpair(my $to, my $from, AF_UNIX, SOCK_STREAM, 0) or last;
        setsockopt($to, SOL_SOCKET, SO_SNDBUF, 4 << 20); push @kept, $from; fill($to); close $to } });)perl"},
    {"UnixDatagrams", R"perl(
      $block = "x" x 100_000;
      share(8, sub { for (1 .. 400) { socketpair(my $to, my $from, AF_UNIX, SOCK_DGRAM, 0) or last;
        setsockopt($to, SOL_SOCKET, SO_SNDBUF, 4 << 20); push @kept, $to, $from; fill($to) } });)perl"},
    {"TcpConnections", R"perl(
      socket(my $listener, AF_INET, SOCK_STREAM, 0); setsockopt($listener, SOL_SOCKET, SO_RCVBUF, 4 << 20);
      bind($listener, pack_sockaddr_in(0, INADDR_LOOPBACK)) or die $!; listen($listener, 1000) or die $!;
      my $address = getsockname $listener; $block = "x" x 65536;
      share(4, sub { for (1 .. 100) { socket(my $to, AF_INET, SOCK_STREAM, 0) or last;
        setsockopt($to, SOL_SOCKET, SO_SNDBUF, 4 << 20); connect($to, $address) or last;
        push @kept, $to; fill($to) } });)perl"},
    {"UdpReceivers", R"perl(
      $block = "x" x 60_000; socket(my $to, AF_INET, SOCK_DGRAM, 0);
      share(4, sub { for (1 .. 400) { socket(my $from, AF_INET, SOCK_DGRAM, 0) or last;
        setsockopt($from, SOL_SOCKET, SO_RCVBUF, 4 << 20); bind($from, pack_sockaddr_in(0, INADDR_LOOPBACK)) or last;
        push @kept, $from; my $size = unpack "l", getsockopt($from, SOL_SOCKET, SO_RCVBUF);
        for (my $sent = 0; $sent < $size && $held < $most; $sent += 66_000) {
          $held += send($to, $block, 0, getsockname $from) // 0 } } });)perl"},
    {"Pipes", R"perl(
      share(8, sub { for (1 .. 60) { pipe(my $from, my $to) or last;
        fcntl($to, 1031, 1 << 20); push @kept, $from, $to; fill($to) } });)perl"},
    {"ManySmallPipes", R"perl(
      share(100, sub { for (1 .. 500) { pipe(my $from, my $to) or last; push @kept, $from, $to; fill($to) } });)perl"},
    {"EmptyFilesInTmp", R"perl(
      my $name = "/tmp/" . "n" x 200; for (1 .. 350_000) { sysopen(my $f, "$name$_", O_CREAT) or last; $held += 1200 })perl"},
    {"EmptyFilesInSharedMemory", R"perl(
      for (1 .. 350_000) { sysopen(my $f, "/dev/shm/$_", O_CREAT) or last; $held += 1200 })perl"},
    {"FoldersAndLinksInVarTmp", R"perl(
      for (1 .. 180_000) { mkdir "/var/tmp/$_" or last; symlink "/" . "x" x 100, "/var/tmp/l$_" or last; $held += 2400 })perl"},
    {"Terminals", R"perl(
      share(8, sub { for (1 .. 400) { open(my $t, "+<", "/dev/ptmx") or last; push @kept, $t; fill($t) } });)perl"},
    {"EpollItems", R"perl(
      pipe(my $from, my $to); my @sources = map { my $s; open($s, "<&", $from); $s } 1 .. 500;
      share(12, sub { for (1 .. 480) { my $epoll = syscall(291, 0); last if $epoll < 0; for my $source (@sources) {
        my $event = pack "LQ", 1, 0; syscall(233, $epoll, 1, fileno $source, $event) == 0 or last; $held += 192;
        return if $held > $most } } });)perl"},
    {"FileLocks", R"perl(
      share(8, sub { for my $file (1 .. 900) { my $f; sysopen($f, "/tmp/$$-$file", O_CREAT | O_RDWR) or last; push @kept, $f;
        for my $i (0 .. 150) { fcntl($f, F_SETLK, pack("s s x4 q q l x4", F_WRLCK, 0, 2 * $i, 1, 0)) or last;
          $held += 224 } } });)perl"},
    {"Watches", R"perl(
      for (1 .. 100) { my $in = syscall(294, 0); last if $in < 0; last if $held > $most;
        for my $i (1 .. 1_000) { my $name = "/tmp/$i"; mkdir $name; syscall(254, $in, $name, 2) >= 0 or last;
          $held += 128 } })perl"},
#ifdef __x86_64__
    {"SharedMappingsThatAreNotResident", R"perl(
      for (1 .. 100) { my $at = syscall(9, 0, 4 << 20, 3, 0x8021, -1, 0); last if $at < 0; $held += 4 << 20;
        syscall(28, $at, 4 << 20, 4) })perl"},
    {"SharedMappingsOfWhichAPageIsLeft", R"perl(
      for (1 .. 400) { my $at = syscall(9, 0, 1 << 20, 3, 0x8021, -1, 0); last if $at < 0; $held += 1 << 20;
        syscall(11, $at + 4096, (1 << 20) - 4096) })perl"},
    {"SharedMappingsOfADevice", R"perl(
      my $zero; open($zero, "+<", "/dev/zero") or open($zero, "<", "/dev/zero");
      for (1 .. 100) { my $at = syscall(9, 0, 4 << 20, 1, 0x8001, fileno $zero, 0); last if $at < 0; $held += 4 << 20;
        syscall(28, $at, 4 << 20, 4) })perl"},
    {"PageTables", R"perl(
      my $size = 1 << 38; my $at = syscall(9, 0, $size, 1, 0x4022, -1, 0); $at > 0 or done();
      for (my $i = 0; $i < 100_000; ++$i) { my $byte = unpack "P1", pack "Q", $at + ($i << 21);
        $held += 4096 })perl"},
    {"Mappings", R"perl(
      my $at = syscall(9, 0, 65_000 << 12, 1, 0x4022, -1, 0); my $maps = 0;
      for (my $i = 0; $i < 65_000; $i += 2) { syscall(10, $at + ($i << 12), 4096, 0) == 0 or last; $maps += 2 }
      share(24, sub { $held = 256 * $maps });)perl"},
    {"HugePagesKeptByPipes", R"perl(
      share(2, sub { for (1 .. 120) { pipe(my $from, my $to) or last; push @kept, $from, $to;
        my $at = syscall(9, 0, 4 << 20, 3, 0x22, -1, 0); my $huge = ($at + (2 << 20) - 1) & ~((2 << 20) - 1);
        syscall(28, $huge, 2 << 20, 14); my $zero; open($zero, "<", "/dev/zero"); syscall(0, fileno $zero, $huge, 2 << 20);
        my $piece = pack "QQ", $huge, 4096;
        syscall(278, fileno $to, $piece, 1, 0) > 0 and $held += 2 << 20; syscall(11, $at, 4 << 20) } });)perl"},
    {"ThreadsWithoutALeader", R"perl(
      require threads; for (1 .. 8) { next if fork; threads->create(sub { sleep 0.5; my $x = "x" x (20 << 20);
        syswrite $result, (40 << 20) . "\n"; sleep 30 }); syscall(60, 0) }
      for (1 .. 8) { $held += readline $results })perl"},
#endif
};

struct Setting {
  const char* name;
  uid_t user;
  Groups groups;
};

void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }

class HostileSandboxTest : public ::testing::TestWithParam<Setting> {
 protected:
  void SetUp() override {
    TOOLGATE_NEEDS_SANDBOX(user());
    testing::GiveTo(user(), dir_.path());
    if (GetParam().groups == Groups::kOff) return;
    SandboxJob job{.command = "true", .user = user()};
    job.options.groups = GetParam().groups;
    const SandboxRun run = RunInSandbox(dir_.path(), job);
    if (absl::StrContains(run.error, "no control group")) GTEST_SKIP() << run.error;
  }
  uid_t user() const { return GetParam().user == 0 ? geteuid() : GetParam().user; }

  SandboxRun Run(SandboxJob job) const {
    job.user = user();
    job.options.groups = GetParam().groups;
    SandboxRun run = RunInSandbox(dir_.path(), job);
    EXPECT_EQ(run.error, "");
    return run;
  }

  SandboxRun RunAttack(const Attack& attack) const {
    std::ofstream(dir_.path() + "/attack.pl") << kCommon << attack.script << "\ndone();\n";
    SandboxJob job{.command = "perl attack.pl"};
    job.options.limits.max_memory_bytes = kBound;
    return Run(job);
  }

  const testing::TempDir dir_;
};

// Bytes that an attack says it held.
int64_t Held(const SandboxRun& run) {
  constexpr std::string_view kWord = "held ";
  const size_t at = run.out.rfind(kWord);
  int64_t held = 0;
  if (at == std::string::npos) return held;
  const size_t begin = at + kWord.size();
  EXPECT_TRUE(absl::SimpleAtoi(run.out.substr(begin, run.out.find('\n', begin) - begin), &held)) << run.out;
  return held;
}

TEST_P(HostileSandboxTest, MemoryThatIsNotResidentIsBounded) {
  for (const Attack& attack : kAttacks) {
    const SandboxRun run = RunAttack(attack);
    const std::string seen = absl::StrCat(attack.name, ": held ", Held(run) / kMegabyte, " MB, killed \"", run.killed,
                                          "\", exit ", run.exit_code, ", ", run.err.substr(0, 300));
    EXPECT_TRUE(run.killed == "memory" || (Held(run) < kBound && run.out.find("held") != std::string::npos)) << seen;
  }
}

// Programs that use such memory in earnest, and what they print.
struct Program {
  const char* name;
  const char* command;
  const char* output;
};

constexpr Program kPrograms[] = {
    {"python3",
     "python3 -c 'import mmap, multiprocessing as m\nv = m.Value(\"i\", 7); a = m.Array(\"d\", 100000)\n"
     "s = mmap.mmap(-1, 4 << 20); s[:3] = b\"abc\"\nwith m.Pool(8) as p: print(sum(p.map(abs, range(1000))), v.value)'",
     "499500 7\n"},
    {"python3", "python3 -c 'import pty; print(pty.spawn([\"true\"]))'", "0\n"},
    {"node",
     "node -e 'const http = require(\"http\"); let left = 50; const server = http.createServer((_, r) => "
     "r.end(\"ok\"));"
     "server.listen(0, () => { for (let i = 0; i < 50; ++i) http.get({port: server.address().port}, (r) => {"
     " r.resume(); r.on(\"end\", () => { if (--left == 0) { console.log(\"all\"); server.close(); } }); }); })'",
     "all\n"},
    {"git",
     "git init -q r && cd r && for i in $(seq 20); do echo $i > $i; done && git add . &&"
     " git -c user.name=n -c user.email=e@example.org commit -qm m && git gc -q && git status --short | wc -l",
     "0\n"},
    {"make",
     "printf 'all: a b c d\\na b c d:\\n\\t@gcc -O1 -o $@ m.c && ./$@\\n' > Makefile;"
     "printf '#include <stdio.h>\\nint main() { puts(\"built\"); }\\n' > m.c; make -j4",
     "built\nbuilt\nbuilt\nbuilt\n"},
    {"sqlite3",
     "sqlite3 x.db 'pragma journal_mode=wal; create table t(a); insert into t values (1), (2); select sum(a) from t'",
     "wal\n3\n"},
    {"dd", "dd if=/dev/zero bs=1M count=3 2>/dev/null | wc -c", "3145728\n"},
    {"sort", "seq 300000 | sort -R --parallel=4 | sort -n | tail -1", "300000\n"},
    {"perl",
     "perl -MSocket -e 'for (1 .. 200) { socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0) or die; push @all, $a, $b;"
     " setsockopt($a, SOL_SOCKET, SO_SNDBUF, 1 << 20) or die; syswrite $a, \"x\" x 1000 } print scalar @all'",
     "400"},
    {"mkdir", "for i in $(seq 3000); do echo $i > /tmp/$i; done; ls /tmp | wc -l", "3000\n"},
};

TEST_P(HostileSandboxTest, ProgramsGoOnWorking) {
  for (const Program& program : kPrograms) {
    const SandboxRun found = Run({.command = absl::StrCat("command -v ", program.name)});
    if (found.exit_code != 0) continue;
    const SandboxRun run = Run({.command = program.command});
    EXPECT_EQ(run.out, program.output) << program.name << ": " << run.err << run.killed;
  }
}

TEST_P(HostileSandboxTest, WhatACommandMakesIsNotForAllToWrite) {
  const mode_t before = umask(0);
  const SandboxRun run =
      Run({.command = "mkdir -p a/b; echo x > a/x; install -d c; cp -r a d; tar c a | tar x -C c; mktemp -d e.XXXX"});
  umask(before);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.changes, HasSubstr("folder 755 a/b\n"));
  EXPECT_THAT(run.changes, Not(::testing::ContainsRegex(" [0-7]+[2367] ")));
}

INSTANTIATE_TEST_SUITE_P(By, HostileSandboxTest,
                         ::testing::Values(Setting{"Root", 0, Groups::kOff},
                                           Setting{"AUser", testing::kNobody, Groups::kOff},
                                           Setting{"RootInControlGroups", 0, Groups::kRequire}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace toolgate
