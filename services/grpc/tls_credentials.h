// The certificate of a gRPC listener, which may change while it listens.
#ifndef TOOLGATE_SERVICES_GRPC_TLS_CREDENTIALS_H_
#define TOOLGATE_SERVICES_GRPC_TLS_CREDENTIALS_H_

#include <grpcpp/security/server_credentials.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "security/identity/tls_material.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::grpc {

// TLS 1.2 and 1.3, by gRPC's own OpenSSL. gRPC asks for the material with each handshake; new files are taken up then,
// at most once in the refresh interval, and only when they are sound, so that a half-written pair does no harm.
// Thread-safe.
class TlsCredentials {
 public:
  // Told of each material that is taken up or refused after the start ("" when it is taken up).
  using OnReload = std::function<void(const std::string& problem)>;

  // Borrows `clock`. The error of security::identity::LoadTlsMaterial.
  static absl::StatusOr<std::shared_ptr<TlsCredentials>> Create(const config::v1::Tls& config, const Clock& clock,
                                                                OnReload on_reload);
  TlsCredentials(const TlsCredentials&) = delete;
  TlsCredentials& operator=(const TlsCredentials&) = delete;

  // For one listener. It shares the ownership of `self`, which must outlive the listener's handshakes.
  static std::shared_ptr<::grpc::ServerCredentials> ForListener(const std::shared_ptr<TlsCredentials>& self);

  // Looks at the files now. The error when they changed and are not sound; the old material stays then.
  absl::Status Reload();

 private:
  friend class TlsServerCredentials;

  TlsCredentials(const config::v1::Tls& config, const Clock& clock, OnReload on_reload);

  // Identity of the files' present content: device, inode, size and times of each.
  std::vector<int64_t> Fingerprint() const;
  absl::Status ReloadLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The material, when it is newer than `generation`, which becomes that of the material.
  bool Newer(int64_t& generation, security::identity::TlsMaterial& material);

  const config::v1::Tls config_;
  const Clock& clock_;
  const OnReload on_reload_;
  absl::Mutex mutex_;
  security::identity::TlsMaterial material_ ABSL_GUARDED_BY(mutex_);
  int64_t generation_ ABSL_GUARDED_BY(mutex_) = 1;
  std::vector<int64_t> fingerprint_ ABSL_GUARDED_BY(mutex_);
  std::vector<int64_t> refused_ ABSL_GUARDED_BY(mutex_);  // The same, of files that were not sound.
  absl::Duration looked_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_TLS_CREDENTIALS_H_
