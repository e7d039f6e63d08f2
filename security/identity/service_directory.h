// Finds the service that a client certificate identifies.
#ifndef TOOLGATE_SECURITY_IDENTITY_SERVICE_DIRECTORY_H_
#define TOOLGATE_SECURITY_IDENTITY_SERVICE_DIRECTORY_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "security/tool_call.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::identity {

struct KnownService {
  std::string name;
  std::vector<std::string> roles;
  bool trusted = false;
  std::vector<std::string> workspaces;

  // Whether the service may act there; one without a list may act anywhere.
  bool MayActIn(std::string_view workspace) const;
};

// `name` in the form used for comparison: DNS names ignore case.
std::string CertificateNameForm(const std::string& name);

// The services of the configuration by the names in their certificates. Names are compared exactly, and only with names
// of the same kind: a common name never matches a URI. Immutable after Create, hence thread-safe.
class ServiceDirectory {
 public:
  // INVALID_ARGUMENT if two services share a name, or a name is invalid.
  static absl::StatusOr<ServiceDirectory> Create(const config::v1::Identity& config);

  bool empty() const { return services_.empty(); }

  // Borrowed from the directory. UNAUTHORIZED if the certificate names no service, or more than one.
  absl::StatusOr<const KnownService*> Find(const PeerCertificate& certificate) const;

 private:
  std::vector<std::unique_ptr<KnownService>> services_;
  absl::flat_hash_map<std::string, const KnownService*> uris_;
  absl::flat_hash_map<std::string, const KnownService*> dns_names_;
  absl::flat_hash_map<std::string, const KnownService*> common_names_;
};

}  // namespace toolgate::security::identity

#endif  // TOOLGATE_SECURITY_IDENTITY_SERVICE_DIRECTORY_H_
