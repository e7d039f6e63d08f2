// The flags that every command takes which talks to a service.
#ifndef TOOLGATE_CLI_CLIENT_OPTIONS_H_
#define TOOLGATE_CLI_CLIENT_OPTIONS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "cli/flag_set.h"

namespace toolgate::cli {

// For --tls-ca: whom this machine trusts.
inline constexpr char kSystemAuthorities[] = "system";

struct ClientOptions {
  std::string address = "127.0.0.1:50051";  // "host:port" or "unix:/path".
  std::string workspace;
  std::string user;
  std::string user_name;
  std::string token;       // Sent as a bearer token.
  std::string token_file;  // Holds the token instead.
  std::string tls_ca;      // PEM file with the service's authorities, or "system" for those of this machine.
  std::string tls_cert;    // PEM file with the client's certificate, and
  std::string tls_key;     // with its key.
  std::string conversation;
  std::string model;
  std::string time_zone;  // IANA name. Also the zone in which times are shown; empty: the machine's own.
  absl::Duration timeout = absl::ZeroDuration();  // Zero: the command's own.
  bool json = false;

  // The flags of every command that talks to a service; not --json, which all commands take.
  void Declare(FlagSet& flags);
  void DeclareJson(FlagSet& flags) { flags.Switch("--json", &json, "machine-readable output, errors too"); }

  // Whether to speak TLS.
  bool tls() const { return !tls_ca.empty() || !tls_cert.empty(); }

  // INVALID_ARGUMENT for values that cannot be meant: an unknown zone, a token that would leave the machine in the
  // clear, a certificate without its key, an address that is none.
  absl::Status Check() const;
  // Replaces the names of files by what the files hold: `token`, and the TLS files as PEM. The message names the file.
  // INVALID_ARGUMENT when a certificate and its key are none, or do not belong together.
  absl::Status ReadFiles();

  // The zone in which to show times.
  absl::TimeZone ShownZone() const;
};

// True for Unix sockets and loopback addresses.
bool StaysOnThisMachine(std::string_view address);

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_CLIENT_OPTIONS_H_
