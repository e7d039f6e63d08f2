#include "services/grpc/tls_credentials.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <sys/stat.h>

#include <utility>

#include "common/proto_time.h"
#include "common/status_macros.h"

namespace toolgate::services::grpc {

using security::identity::LoadTlsMaterial;
using security::identity::TlsMaterial;

namespace {

void Append(const std::string& path, std::vector<int64_t>& fingerprint) {
  struct stat info {};
  if (path.empty() || stat(path.c_str(), &info) != 0) return fingerprint.push_back(-1);
  fingerprint.insert(fingerprint.end(),
                     {static_cast<int64_t>(info.st_dev), static_cast<int64_t>(info.st_ino), info.st_size,
                      info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_ctim.tv_sec, info.st_ctim.tv_nsec});
}

grpc_ssl_client_certificate_request_type RequestOf(const config::v1::Tls& config) {
  if (config.client_ca_file().empty()) return GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE;
  return config.client_certificate() == config::v1::CLIENT_CERTIFICATE_OPTIONAL
             ? GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_AND_VERIFY
             : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY;
}

}  // namespace

// gRPC's C++ interface has credentials that are fixed, and credentials that watch files and stop serving when a pair
// does not match; its C core has credentials that ask. These put the latter behind the C++ interface.
class TlsServerCredentials final : public ::grpc::ServerCredentials {
 public:
  explicit TlsServerCredentials(std::shared_ptr<TlsCredentials> source) : source_(std::move(source)) {
    grpc_ssl_server_credentials_options* const options =
        grpc_ssl_server_credentials_create_options_using_config_fetcher(RequestOf(source_->config_), FetchConfig, this);
    credentials_ = grpc_ssl_server_credentials_create_with_options(options);
  }
  ~TlsServerCredentials() override { grpc_server_credentials_release(credentials_); }

  void SetAuthMetadataProcessor(const std::shared_ptr<::grpc::AuthMetadataProcessor>&) override {}

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), credentials_);
  }

  // With each handshake. gRPC keeps what it has when this fails, and when what it gets does not work.
  static grpc_ssl_certificate_config_reload_status FetchConfig(void* self,
                                                               grpc_ssl_server_certificate_config** config) {
    auto& credentials = *static_cast<TlsServerCredentials*>(self);
    TlsMaterial material;
    {
      absl::MutexLock lock(&credentials.mutex_);
      if (!credentials.source_->Newer(credentials.generation_, material)) {
        return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
      }
    }
    const grpc_ssl_pem_key_cert_pair pair = {material.private_key.c_str(), material.certificate.c_str()};
    // gRPC wants some authority here even when it asks clients for no certificate, and then makes no use of it.
    const std::string& client_ca = material.client_ca.empty() ? material.certificate : material.client_ca;
    *config = grpc_ssl_server_certificate_config_create(client_ca.c_str(), &pair, 1);
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

  const std::shared_ptr<TlsCredentials> source_;
  grpc_server_credentials* credentials_;
  absl::Mutex mutex_;
  int64_t generation_ ABSL_GUARDED_BY(mutex_) = 0;  // Given to gRPC last.
};

absl::StatusOr<std::shared_ptr<TlsCredentials>> TlsCredentials::Create(const config::v1::Tls& config,
                                                                       const Clock& clock, OnReload on_reload) {
  auto self = std::shared_ptr<TlsCredentials>(new TlsCredentials(config, clock, std::move(on_reload)));
  absl::MutexLock lock(&self->mutex_);
  // Taken before the files are read, so that a change in between is seen later.
  self->fingerprint_ = self->Fingerprint();
  self->looked_ = clock.Monotonic();
  ASSIGN_OR_RETURN(self->material_, LoadTlsMaterial(config, clock.Now()));
  return self;
}

TlsCredentials::TlsCredentials(const config::v1::Tls& config, const Clock& clock, OnReload on_reload)
    : config_(config), clock_(clock), on_reload_(std::move(on_reload)) {}

std::shared_ptr<::grpc::ServerCredentials> TlsCredentials::ForListener(const std::shared_ptr<TlsCredentials>& self) {
  return std::make_shared<TlsServerCredentials>(self);
}

std::vector<int64_t> TlsCredentials::Fingerprint() const {
  std::vector<int64_t> fingerprint;
  Append(config_.certificate_file(), fingerprint);
  Append(config_.private_key_file(), fingerprint);
  Append(config_.client_ca_file(), fingerprint);
  return fingerprint;
}

absl::Status TlsCredentials::Reload() {
  absl::MutexLock lock(&mutex_);
  refused_.clear();
  return ReloadLocked();
}

absl::Status TlsCredentials::ReloadLocked() {
  looked_ = clock_.Monotonic();
  std::vector<int64_t> fingerprint = Fingerprint();
  if (fingerprint == fingerprint_ || fingerprint == refused_) return absl::OkStatus();
  absl::StatusOr<TlsMaterial> material = LoadTlsMaterial(config_, clock_.Now());
  absl::Status status = material.status();
  if (material.ok()) {
    fingerprint_ = std::move(fingerprint);
    material_ = *std::move(material);
    ++generation_;
  } else {
    refused_ = std::move(fingerprint);
  }
  if (on_reload_) on_reload_(std::string(status.message()));
  return status;
}

bool TlsCredentials::Newer(int64_t& generation, TlsMaterial& material) {
  const absl::Duration interval = FromProtoDuration(config_.refresh_interval());
  absl::MutexLock lock(&mutex_);
  // A refusal is told to on_reload_; the old material goes on.
  if (clock_.Monotonic() - looked_ >= interval) ReloadLocked().IgnoreError();
  if (generation == generation_) return false;
  generation = generation_;
  material = material_;
  return true;
}

}  // namespace toolgate::services::grpc
