// Profiles: the calls that a load test makes.
#ifndef TOOLGATE_CLI_LOAD_PROFILE_PROFILE_H_
#define TOOLGATE_CLI_LOAD_PROFILE_PROFILE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/load/profile/template.h"
#include "cli/load/schedule/arrivals.h"
#include "cli/load/schedule/random.h"

namespace toolgate::cli::load::profile {

enum class Confirm { kIgnore, kApprove, kDeny };

// Value of a result that is kept for later calls.
struct Capture {
  size_t pool = 0;
  std::string pointer;  // JSON pointer (RFC 6901) into the result.

  // The text at the pointer, or nothing.
  std::optional<std::string> Read(std::string_view data_json) const;
};

struct SetupCalls {
  std::string tool;
  Template arguments;
  int repeat = 1;
  std::optional<Capture> capture;
};

// A kind of calls.
struct CallKind {
  std::string name;
  std::string tool;
  double weight = 1;
  Template arguments;
  bool stream = false;
  bool dry_run = false;
  bool idempotency_key = false;
  Confirm confirm = Confirm::kIgnore;
  std::optional<Capture> capture;
  std::vector<std::string> expect;  // Codes that are no errors; "*" is any. Never empty.
  std::string model;
  bool expect_finding = false;  // OK without a finding of layer 1 is stats::kNotDetected.

  bool Expects(std::string_view code) const;
};

// Defaults of the flags; zero or empty: not set.
struct LoadDefaults {
  int concurrency = 0;
  std::string schedule;
  std::optional<schedule::Pattern> arrivals;
  absl::Duration warm_up = absl::ZeroDuration();
  absl::Duration duration = absl::ZeroDuration();
  absl::Duration think_time = absl::ZeroDuration();
  int max_in_flight = 0;
  std::vector<std::string> thresholds;
};

struct Profile {
  std::string name;  // Of a shipped profile, or the file.
  std::string description;
  int workspaces = 1;
  int users = 1;  // In each workspace.
  LoadDefaults load;
  std::vector<SetupCalls> setup;
  std::vector<CallKind> calls;  // Never empty.
  std::vector<std::string> pools;

  // Draws a kind of calls by weight; an index into `calls`.
  size_t DrawCall(schedule::Random& random) const;
};

// Reads a profile. INVALID_ARGUMENT with a line "FILE:LINE:COLUMN: path: what is wrong; what would be right" for each
// problem.
absl::StatusOr<Profile> ParseProfile(std::string_view name, std::string_view text);

// Profile of one call, for `toolgate load --tool`.
absl::StatusOr<Profile> SingleCallProfile(std::string_view tool, std::string_view arguments);

// A profile that is part of the program.
struct ShippedProfile {
  std::string name;         // "read-mostly"
  std::string description;  // One line.
  std::string_view text;    // YAML.
};

// In the order of their names.
std::vector<ShippedProfile> ShippedProfiles();

}  // namespace toolgate::cli::load::profile

#endif  // TOOLGATE_CLI_LOAD_PROFILE_PROFILE_H_
