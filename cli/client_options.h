// Flags of all commands that use a service.
#ifndef TOOLGATE_CLI_CLIENT_OPTIONS_H_
#define TOOLGATE_CLI_CLIENT_OPTIONS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "cli/flag_set.h"

namespace toolgate::cli {

// Value of --tls-ca for the authorities that this machine trusts.
inline constexpr char kSystemAuthorities[] = "system";

struct ClientOptions {
  std::string address = "127.0.0.1:50051";  // "host:port" or "unix:/path".
  std::string workspace;
  std::string user;
  std::string user_name;
  std::string token;       // Sent as a bearer token.
  std::string token_file;  // File with the token.
  std::string tls_ca;      // PEM file with the authorities to trust, or "system" for those of this machine.
  std::string tls_cert;    // PEM file with the client's certificate.
  std::string tls_key;     // PEM file with its private key.
  std::string conversation;
  std::string model;
  std::string time_zone;  // IANA name. Times are shown in this zone too; empty: the machine's own zone.
  absl::Duration timeout = absl::ZeroDuration();  // Zero: the command's default.
  bool json = false;

  // Declares the flags of all commands that use a service. --json is declared separately, for all commands.
  void Declare(FlagSet& flags);
  void DeclareJson(FlagSet& flags) { flags.Switch("--json", &json, "machine-readable output, errors too"); }

  // True if the connection uses TLS.
  bool tls() const { return !tls_ca.empty() || !tls_cert.empty(); }

  // INVALID_ARGUMENT for an unknown zone, a token that would leave the machine unencrypted, a certificate without its
  // key, or an invalid address.
  absl::Status Check() const;
  // Replaces file names with the contents of the files: `token`, and the TLS files as PEM. INVALID_ARGUMENT if a
  // certificate or key is invalid, or if they do not belong together. Error messages name the file.
  absl::Status ReadFiles();

  // Zone in which times are shown.
  absl::TimeZone ShownZone() const;
};

// True for Unix sockets and loopback addresses.
bool StaysOnThisMachine(std::string_view address);

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_CLIENT_OPTIONS_H_
