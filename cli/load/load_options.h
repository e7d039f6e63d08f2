// Flags of `toolgate load`, and the plan and conditions that they give together with the profile.
#ifndef TOOLGATE_CLI_LOAD_LOAD_OPTIONS_H_
#define TOOLGATE_CLI_LOAD_LOAD_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/client_options.h"
#include "cli/flag_set.h"
#include "cli/load/driver/plan.h"
#include "cli/load/profile/profile.h"
#include "cli/load/report/threshold.h"
#include "common/ids.h"

namespace toolgate::cli::load {

// Values of the flags; empty or kNotGiven: not given.
inline constexpr absl::Duration kNotGiven = -absl::InfiniteDuration();
struct LoadOptions {
  std::string profile;    // Name of a shipped profile, or a file.
  std::string tool;       // Instead of a profile: one tool, with `arguments`.
  std::string arguments;  // Template.
  std::vector<std::string> targets;
  std::string balance = "round-robin";
  std::string concurrency;
  std::string rate;  // Rate or schedule.
  std::string arrivals;
  std::string max_in_flight;
  absl::Duration duration = kNotGiven;
  absl::Duration warm_up = kNotGiven;
  std::string requests;
  absl::Duration think_time = kNotGiven;
  std::string workspaces;
  std::string users;
  std::string callers_file;
  std::string threads;
  std::string connections;
  std::string seed;
  std::vector<std::string> metrics;
  std::vector<std::string> thresholds;
  std::string json_file;
  std::string html_file;
  bool force = false;
  bool yes = false;
  bool list_profiles = false;
  bool print_profile = false;

  void Declare(FlagSet& flags);
};

// Everything that is decided before the first call.
struct LoadSetting {
  driver::Plan plan;
  std::vector<report::Threshold> thresholds;
  std::vector<std::string> metrics_urls;
  std::string load;  // Description of load and pace, for people.
};

// Reads the profile that the flags name. NOT_FOUND if there is none, INVALID_ARGUMENT if it is invalid.
absl::StatusOr<profile::Profile> ReadProfile(const LoadOptions& options);

// Combines flags and profile. `client` must have read its files. INVALID_ARGUMENT for flags that do not fit together,
// FAILED_PRECONDITION for targets beyond this machine without --yes, NOT_FOUND for a file of callers that cannot be
// read.
absl::StatusOr<LoadSetting> MakeSetting(const LoadOptions& options, const ClientOptions& client,
                                        const profile::Profile& profile, IdSource& ids, absl::Time now);

}  // namespace toolgate::cli::load

#endif  // TOOLGATE_CLI_LOAD_LOAD_OPTIONS_H_
