#include "common/net/tls_client.h"

#include <openssl/err.h>

#include <array>

#include "absl/strings/str_cat.h"

namespace toolgate::net {
namespace {

absl::Status CannotUse(const std::string& file) {
  return absl::InvalidArgumentError(absl::StrCat("cannot use ", file, ": ", TakeTlsError()));
}

}  // namespace

std::string TakeTlsError() {
  std::array<char, 256> text = {"no reason given"};
  if (const unsigned long error = ERR_peek_last_error(); error != 0) {  // NOLINT(google-runtime-int): OpenSSL's.
    ERR_error_string_n(error, text.data(), text.size());
  }
  ERR_clear_error();
  return text.data();
}

absl::StatusOr<TlsContext> MakeTlsContext(const TlsFiles& files) {
  TlsContext context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr) return absl::ResourceExhaustedError("no memory for TLS");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (files.ca_file.empty()) {
    SSL_CTX_set_default_verify_paths(context.get());
  } else if (SSL_CTX_load_verify_locations(context.get(), files.ca_file.c_str(), nullptr) != 1) {
    return CannotUse(files.ca_file);
  }
  if (files.certificate_file.empty()) return context;
  if (SSL_CTX_use_certificate_chain_file(context.get(), files.certificate_file.c_str()) != 1) {
    return CannotUse(files.certificate_file);
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), files.private_key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    return CannotUse(files.private_key_file);
  }
  return context;
}

}  // namespace toolgate::net
