// The side of TLS that connects.
#ifndef TOOLGATE_COMMON_NET_TLS_CLIENT_H_
#define TOOLGATE_COMMON_NET_TLS_CLIENT_H_

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/openssl_ptr.h"

namespace toolgate::net {

using TlsContext = std::unique_ptr<SSL_CTX, OpensslDeleter<SSL_CTX_free>>;

struct TlsFiles {
  std::string ca_file;           // PEM: the authorities that are believed. Empty: those of the system.
  std::string certificate_file;  // PEM: shown to the server. Empty: none.
  std::string private_key_file;  // PEM: of that certificate.
};

// TLS 1.2 or later; the server's certificate must be good, and for the name that is connected to. INVALID_ARGUMENT,
// naming the file, if one cannot be used.
absl::StatusOr<TlsContext> MakeTlsContext(const TlsFiles& files);

// The newest error of OpenSSL on this thread, for messages; empties its queue.
std::string TakeTlsError();

}  // namespace toolgate::net

#endif  // TOOLGATE_COMMON_NET_TLS_CLIENT_H_
