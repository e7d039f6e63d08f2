// Contents of the files that a listener with TLS needs.
#ifndef TOOLGATE_SECURITY_IDENTITY_TLS_MATERIAL_H_
#define TOOLGATE_SECURITY_IDENTITY_TLS_MATERIAL_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::identity {

// A server's certificate with its key, and the authorities of its clients, as PEM.
struct TlsMaterial {
  std::string certificate;
  std::string private_key;
  std::string client_ca;  // Empty: clients present no certificate.
};

// Reads the files of `config` and checks that they belong together. INVALID_ARGUMENT and the codes of file access,
// naming the file, its setting (common/config_path.h) and what to do: a key that others may read, no certificate in a
// file, one that has expired or is not valid yet, a key of another certificate.
absl::StatusOr<TlsMaterial> LoadTlsMaterial(const config::v1::Tls& config, absl::Time now);

}  // namespace toolgate::security::identity

#endif  // TOOLGATE_SECURITY_IDENTITY_TLS_MATERIAL_H_
