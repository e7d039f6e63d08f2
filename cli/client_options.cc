#include "cli/client_options.h"

#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/openssl_ptr.h"
#include "common/status_macros.h"
#include "common/text/cut_text.h"
#include "common/time_zones.h"

namespace toolgate::cli {
namespace {

absl::Status ReadFile(const std::string& path, std::string& text) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string read((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.good() && !file.eof()) {
    return absl::NotFoundError(absl::StrCat("cannot read the file ", path, ": ", std::strerror(errno)));
  }
  text = std::move(read);
  return absl::OkStatus();
}

absl::Status NoAddress(std::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("--address: ", ToAbsl(what), "; write host:port, for example 127.0.0.1:50051, or unix:/path"));
}

// Rejects addresses that gRPC would look up as names, only to report that nothing listens there.
absl::Status CheckAddress(std::string_view address) {
  if (address.starts_with("unix-abstract:")) return absl::OkStatus();
  if (address.starts_with("unix:")) {
    return address.starts_with("unix:/") ? absl::OkStatus() : NoAddress("a Unix socket needs an absolute path");
  }
  const size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return NoAddress("no port");
  int port = 0;
  if (!absl::SimpleAtoi(ToAbsl(address.substr(colon + 1)), &port) || port < 1 || port > 65535) {
    return NoAddress("the port is not a number from 1 to 65535");
  }
  const std::string_view host = address.substr(0, colon);
  if (host.empty()) return NoAddress("no host");
  if (host.find('/') != std::string_view::npos) return NoAddress("the host is neither a name nor an address");
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (!bracketed && host.find(':') != std::string_view::npos) {
    return NoAddress("an IPv6 address must be in brackets");
  }
  return absl::OkStatus();
}

// Passphrase callback that never asks for one.
int NoPassphrase(char*, int, int, void*) { return -1; }

using Certificate = std::unique_ptr<X509, OpensslDeleter<X509_free>>;
using Memory = std::unique_ptr<BIO, OpensslDeleter<BIO_free_all>>;
using PrivateKey = std::unique_ptr<EVP_PKEY, OpensslDeleter<EVP_PKEY_free>>;

Memory Reader(const std::string& pem) { return Memory(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()))); }

Certificate FirstCertificate(const std::string& pem) {
  return Certificate(PEM_read_bio_X509(Reader(pem).get(), nullptr, NoPassphrase, nullptr));
}

// Checks that certificate and key belong together. gRPC would notice only on connecting, and only log it.
absl::Status CheckPair(const std::string& certificate_pem, const std::string& key_pem,
                       const std::string& certificate_file, const std::string& key_file) {
  const auto certificate = FirstCertificate(certificate_pem);
  if (certificate == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(certificate_file, " holds no certificate in PEM form"));
  }
  const PrivateKey key(PEM_read_bio_PrivateKey(Reader(key_pem).get(), nullptr, NoPassphrase, nullptr));
  if (key == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(key_file, " holds no private key in PEM form without passphrase"));
  }
  if (X509_check_private_key(certificate.get(), key.get()) == 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the key in ", key_file, " does not belong to the certificate in ", certificate_file));
}

}  // namespace

void ClientOptions::Declare(FlagSet& flags) {
  flags.Value("--address", "ADDR", &address, "address of the service: host:port or unix:/path").environment =
      "TOOLGATE_ADDRESS";
  flags.Value("--workspace", "ID", &workspace, "workspace to act in").environment = "TOOLGATE_WORKSPACE";
  flags.Value("--user", "ID", &user, "user to act for").environment = "TOOLGATE_USER";
  flags.Value("--user-name", "NAME", &user_name, "display name of the user, for the audit log").environment =
      "TOOLGATE_USER_NAME";
  flags.Value("--token", "TOKEN", &token, "bearer token; prefer the environment or a file").environment =
      "TOOLGATE_TOKEN";
  flags.Value("--token-file", "FILE", &token_file, "file with the bearer token; takes precedence over --token")
      .environment = "TOOLGATE_TOKEN_FILE";
  flags.Value("--tls-ca", "FILE", &tls_ca, "use TLS; PEM file with the authorities to trust, or \"system\"")
      .environment = "TOOLGATE_TLS_CA";
  flags.Value("--tls-cert", "FILE", &tls_cert, "use TLS with this client certificate (PEM)").environment =
      "TOOLGATE_TLS_CERT";
  flags.Value("--tls-key", "FILE", &tls_key, "private key of --tls-cert (PEM)").environment = "TOOLGATE_TLS_KEY";
  flags.Value("--conversation", "ID", &conversation, "conversation that the call belongs to").environment =
      "TOOLGATE_CONVERSATION";
  flags.Value("--model", "NAME", &model, "AI model that asks for the call").environment = "TOOLGATE_MODEL";
  flags.Value("--time-zone", "ZONE", &time_zone, "IANA time zone for relative dates and for times shown").environment =
      "TOOLGATE_TIME_ZONE";
  flags
      .Value("--timeout", "DURATION", &timeout,
             "maximum time to wait; default 2m, none for import, export, backup and audit verify")
      .environment = "TOOLGATE_TIMEOUT";
}

absl::Status ClientOptions::Check() const {
  if (!time_zone.empty() && !FindTimeZone(time_zone).has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("no time zone is called \"",
                                                   text::CutText(time_zone, kMaxTimeZoneName),
                                                   "\"; --time-zone must be ", TimeZoneForm()));
  }
  if (timeout < absl::ZeroDuration()) return absl::InvalidArgumentError("--timeout must not be negative");
  if (address.empty()) return absl::InvalidArgumentError("--address is empty; give host:port or unix:/path");
  if (absl::Status checked = CheckAddress(address); !checked.ok()) return checked;
  if (tls_cert.empty() != tls_key.empty()) {
    return absl::InvalidArgumentError("--tls-cert and --tls-key must be given together");
  }
  if ((!token.empty() || !token_file.empty()) && !tls() && !StaysOnThisMachine(address)) {
    return absl::InvalidArgumentError(absl::StrCat("the token would be sent unencrypted to ", address,
                                                   "; give --tls-ca, or use a loopback address or a Unix socket"));
  }
  return absl::OkStatus();
}

absl::Status ClientOptions::ReadFiles() {
  if (!token_file.empty()) {
    RETURN_IF_ERROR(ReadFile(token_file, token));
    while (!token.empty() && absl::ascii_isspace(static_cast<unsigned char>(token.back()))) token.pop_back();
    const bool clean = std::all_of(token.begin(), token.end(), [](char c) { return absl::ascii_isgraph(c); });
    if (token.empty() || !clean) return absl::InvalidArgumentError(absl::StrCat(token_file, " holds no token"));
  }
  // Without authorities, gRPC uses those of the machine.
  const bool from_system = tls() && (tls_ca.empty() || tls_ca == kSystemAuthorities);
  if (from_system) tls_ca = kSystemAuthorities;
  if (tls() && !from_system) {
    const std::string ca_file = tls_ca;
    RETURN_IF_ERROR(ReadFile(ca_file, tls_ca));
    if (FirstCertificate(tls_ca) == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(ca_file, " holds no certificate in PEM form"));
    }
  }
  if (!tls_cert.empty()) {
    const std::string certificate_file = tls_cert;
    const std::string key_file = tls_key;
    RETURN_IF_ERROR(ReadFile(certificate_file, tls_cert));
    RETURN_IF_ERROR(ReadFile(key_file, tls_key));
    RETURN_IF_ERROR(CheckPair(tls_cert, tls_key, certificate_file, key_file));
  }
  return absl::OkStatus();
}

absl::TimeZone ClientOptions::ShownZone() const {
  const auto named = FindTimeZone(time_zone);
  return named.has_value() ? named->zone : absl::LocalTimeZone();
}

bool StaysOnThisMachine(std::string_view address) {
  if (address.substr(0, 5) == "unix:" || address.substr(0, 14) == "unix-abstract:") return true;
  const size_t colon = address.rfind(':');
  const std::string_view host = address.substr(0, colon);
  const bool numeric = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return host == "localhost" || host == "[::1]" || (numeric && host.substr(0, 4) == "127.");
}

}  // namespace toolgate::cli
