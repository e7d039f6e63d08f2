#include "cli/client_options.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"

namespace toolgate::cli {

void ClientOptions::Declare(FlagSet& flags) {
  flags.Value("--address", "ADDR", &address, "where the service listens: host:port or unix:/path").environment =
      "TOOLGATE_ADDRESS";
  flags.Value("--workspace", "ID", &workspace, "the workspace to act in").environment = "TOOLGATE_WORKSPACE";
  flags.Value("--user", "ID", &user, "the user to act for").environment = "TOOLGATE_USER";
  flags.Value("--user-name", "NAME", &user_name, "that user's name, for the audit log").environment =
      "TOOLGATE_USER_NAME";
  flags.Value("--token", "TOKEN", &token, "bearer token; better given in the environment").environment =
      "TOOLGATE_TOKEN";
  flags.Value("--conversation", "ID", &conversation, "the conversation that the call belongs to").environment =
      "TOOLGATE_CONVERSATION";
  flags.Value("--model", "NAME", &model, "the AI model that asks for the call").environment = "TOOLGATE_MODEL";
  flags.Value("--time-zone", "ZONE", &time_zone, "IANA time zone for relative dates and for times shown").environment =
      "TOOLGATE_TIME_ZONE";
  flags
      .Value("--timeout", "DURATION", &timeout,
             "give up after this long; default 2m, none for import, export, backup and audit verify")
      .environment = "TOOLGATE_TIMEOUT";
}

absl::Status ClientOptions::Check() const {
  absl::TimeZone zone;
  if (!time_zone.empty() && !absl::LoadTimeZone(time_zone, &zone)) {
    return absl::InvalidArgumentError(
        absl::StrCat("no time zone is called \"", time_zone, "\"; use an IANA name, for example Europe/Berlin"));
  }
  if (timeout < absl::ZeroDuration()) return absl::InvalidArgumentError("--timeout must not be negative");
  if (address.empty()) return absl::InvalidArgumentError("--address is empty; give host:port or unix:/path");
  if (!token.empty() && !StaysOnThisMachine(address)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the token would travel unencrypted to ", address, "; use a loopback address or a Unix socket"));
  }
  return absl::OkStatus();
}

absl::TimeZone ClientOptions::ShownZone() const {
  absl::TimeZone zone;
  if (!time_zone.empty() && absl::LoadTimeZone(time_zone, &zone)) return zone;
  return absl::LocalTimeZone();
}

bool StaysOnThisMachine(std::string_view address) {
  if (address.substr(0, 5) == "unix:" || address.substr(0, 14) == "unix-abstract:") return true;
  const size_t colon = address.rfind(':');
  const std::string_view host = address.substr(0, colon);
  const bool numeric = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return host == "localhost" || host == "[::1]" || (numeric && host.substr(0, 4) == "127.");
}

}  // namespace toolgate::cli
