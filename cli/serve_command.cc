#include "cli/serve_command.h"

#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "absl/synchronization/mutex.h"
#include "cli/session.h"
#include "common/absl_bridge.h"
#include "common/clock.h"
#include "common/ids.h"
#include "common/proto_time.h"
#include "observability/library_log.h"
#include "observability/logger.h"
#include "security/safe_errors/known_secrets.h"
#include "security/safe_errors/masked_log_sink.h"
#include "security/safe_errors/masker.h"
#include "services/app/application.h"
#include "services/config/config.h"
#include "services/grpc/write_offload.h"

// Function of jemalloc, if that is linked (jemalloc(3)).
extern "C" int mallctl(const char* name, void* old, size_t* old_size, void* fresh, size_t fresh_size)
    __attribute__((weak));

namespace toolgate::cli {
namespace {

using observability::FdLogSink;
using observability::LogFormat;
using observability::Logger;
using observability::LogRepeats;

std::optional<std::string> Given(const std::string& flag) {
  return flag.empty() ? std::nullopt : std::optional<std::string>(flag);
}

// Releases the pages of the program's constants, most of which are embedded files that only the start reads. They are
// unchanged pages of the program's file, so the kernel reads them again when needed.
int ReturnConstants(dl_phdr_info* program, size_t /*size*/, void* /*data*/) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    const auto& segment = program->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || segment.p_flags != PF_R) continue;
    // A segment may end within a page; the linker starts the next one on another page.
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the linker gives addresses as integers.
    void* start = reinterpret_cast<void*>(program->dlpi_addr + segment.p_vaddr);
    size_t size = segment.p_memsz;
    if (std::align(page, page, start, size) != nullptr) madvise(start, size / page * page, MADV_DONTNEED);
  }
  return 1;  // The first entry is the program itself; libraries are shared with other processes.
}

// Returns memory that only the start needed. jemalloc releases unused pages only when it is called, and an idle service
// does not call it.
void ReturnUnusedMemory() {
  constexpr char kPurgeAllArenas[] = "arena.4096.purge";  // MALLCTL_ARENAS_ALL
  if (mallctl != nullptr) mallctl(kPurgeAllArenas, nullptr, nullptr, nullptr, 0);
  dl_iterate_phdr(ReturnConstants, nullptr);
}

// Signals that are blocked before any thread starts, so that only the wait below receives them.
sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A write to a closed connection fails instead of raising SIGPIPE.
  signal(SIGPIPE, SIG_IGN);
  return signals;
}

LogFormat FormatOf(const config::v1::Logging& config, const FdLogSink& sink) {
  if (config.format() == "auto") return sink.is_terminal() ? LogFormat::kText : LogFormat::kJson;
  return config.format() == "text" ? LogFormat::kText : LogFormat::kJson;
}

LogRepeats RepeatsOf(const config::v1::Logging& config) {
  return {config.max_repeats(), FromProtoDuration(config.repeat_interval())};
}

void Apply(const config::v1::Logging& config, const FdLogSink& sink, Logger& logger) {
  logger.set_level(*observability::LogLevelFromName(config.level()));
  logger.set_format(FormatOf(config, sink));
  logger.set_repeats(RepeatsOf(config));
}

void LogWarnings(const services::config::PlacedConfig& loaded, Logger& logger) {
  for (const std::string& warning : loaded.warnings) logger.Warning("a variable is ignored", {{"problem", warning}});
}

void Reload(services::app::Application& application, const services::config::LoadOptions& options,
            const FdLogSink& sink, Logger& logger) {
  const auto loaded = services::config::LoadPlaced(options);
  const absl::Status status = loaded.ok() ? application.Reload(loaded->config) : loaded.status();
  if (!status.ok()) {
    const yaml::YamlPlaces& places = loaded.ok() ? loaded->places : yaml::YamlPlaces();
    logger.Error("the new configuration was refused; the old one stays in force",
                 {{"error", services::config::DescribeAt(places, status)}});
    return;
  }
  Apply(loaded->config.logging(), sink, logger);
  logger.Info("configuration read again");
}

}  // namespace

CommandInfo ServeCommand::Info() const {
  CommandInfo info;
  info.name = "serve";
  info.purpose = "run the service";
  info.details =
      "Without a configuration, the service listens on 127.0.0.1:50051, keeps its data in ./data and serves\n"
      "/metrics on 127.0.0.1:9464. Without TLS and credentials, it listens only on loopback addresses and Unix\n"
      "sockets. SIGTERM lets running calls finish and exits with 0; SIGHUP reloads the configuration.";
  info.examples = {{"toolgate serve", "serves on the default addresses"},
                   {"toolgate serve --listen unix:/run/toolgate.sock --data-dir /var/lib/toolgate --metrics-listen off",
                    "serves as a sidecar on a Unix socket, without metrics"}};
  info.exit_codes = {ExitCode::kLocalFile, ExitCode::kServiceFault};
  info.client = false;
  return info;
}

void ServeCommand::Declare(FlagSet& flags) {
  flags.Value("--config", "FILE", &config_file_, "YAML file with the configuration; `toolgate check` validates it")
      .environment = "TOOLGATE_CONFIG";
  flags.Value("--listen", "ADDRESS", &listen_, "host:port or unix:/path; takes precedence over the file");
  flags.Value("--metrics-listen", "ADDRESS", &metrics_listen_,
              "host:port for /metrics, or \"off\"; takes precedence over the file");
  flags.Value("--http-listen", "ADDRESS", &http_listen_,
              "host:port or unix:/path of the API over HTTP, or \"off\"; takes precedence over the file");
  flags.Value("--data-dir", "DIR", &data_dir_, "data directory; takes precedence over the file").environment =
      "TOOLGATE_DATA_DIR";
  flags.Value("--log-level", "LEVEL", &log_level_, "debug, info, warning or error; takes precedence over the file");
  flags.Value("--log-format", "FORMAT", &log_format_,
              "json, text, or auto: text on a terminal; takes precedence over the file");
}

ExitCode ServeCommand::Run(Session& session) {
  // Debian builds Abseil with deadlock detection, which costs time on every lock. The sanitizer builds detect
  // deadlocks.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  const sigset_t signals = BlockSignals();
  services::config::LoadOptions options;
  options.file = config_file_;
  options.listen = Given(listen_);
  options.metrics_listen = Given(metrics_listen_);
  options.http_listen = Given(http_listen_);
  options.data_dir = Given(data_dir_);
  options.log_level = Given(log_level_);
  options.log_format = Given(log_format_);
  const auto loaded = services::config::LoadPlaced(options);
  if (!loaded.ok()) return session.Fail(ExitCode::kLocalFile, FromAbsl(loaded.status().message()));
  const config::v1::Config& config = loaded->config;

  security::safe_errors::KnownSecrets secrets;
  FdLogSink sink(STDERR_FILENO);
  security::safe_errors::MaskedLogSink masked_sink(secrets, sink);
  Logger logger(masked_sink, Clock::Real(), *observability::LogLevelFromName(config.logging().level()),
                FormatOf(config.logging(), sink), RepeatsOf(config.logging()));
  LogWarnings(*loaded, logger);
  const observability::LibraryLog library_log(logger, security::safe_errors::MaskSecrets);
  services::grpc::StopWriteOffload();
  auto application = services::app::Application::Start(
      config, {logger, Clock::Real(), IdSource::Real(), /*families=*/nullptr, &secrets});
  if (!application.ok()) {
    return session.Fail(ExitCode::kLocalFile, services::config::DescribeAt(loaded->places, application.status()));
  }
  logger.Info("serving", {{"address", (*application)->address()},
                          {"http", (*application)->http_address()},
                          {"metrics", (*application)->metrics_address()},
                          {"health", (*application)->health_address()},
                          {"data_dir", config.storage().data_dir()}});
  ReturnUnusedMemory();

  int signal = 0;
  while (sigwait(&signals, &signal) == 0 && signal == SIGHUP) Reload(**application, options, sink, logger);
  logger.Info("stopping", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
  if (const absl::Status stopped = (*application)->Stop(); !stopped.ok()) {
    logger.Error("calls were left behind", {{"error", FromAbsl(stopped.message())}});
    logger.WriteLeftOut(Logger::LeftOutOf::kAll);  // The logger's end does not come.
    std::_Exit(static_cast<int>(ExitCode::kServiceFault));
  }
  application->reset();
  logger.Info("stopped");
  return ExitCode::kOk;
}

}  // namespace toolgate::cli
