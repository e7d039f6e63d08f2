#include "security/identity/tls_material.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <ctime>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/config_path.h"
#include "common/openssl_ptr.h"
#include "common/status_macros.h"
#include "security/identity/key_files.h"

namespace toolgate::security::identity {
namespace {

constexpr char kCertificate[] = "server.tls.certificate_file";
constexpr char kPrivateKey[] = "server.tls.private_key_file";
constexpr char kClientCa[] = "server.tls.client_ca_file";

using Bio = std::unique_ptr<BIO, OpensslDeleter<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, OpensslDeleter<X509_free>>;
using PrivateKey = std::unique_ptr<EVP_PKEY, OpensslDeleter<EVP_PKEY_free>>;

struct ErrorQueueGuard {
  ~ErrorQueueGuard() { ERR_clear_error(); }
};

Bio MemoryOf(const std::string& pem) { return Bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()))); }

// Without this, OpenSSL would ask for a key's password on the terminal.
int NoPassword(char*, int, int, void*) { return -1; }

Certificate FirstCertificate(const std::string& pem) {
  const Bio memory = MemoryOf(pem);
  return Certificate(PEM_read_bio_X509(memory.get(), nullptr, NoPassword, nullptr));
}

absl::Status Wrong(const std::string& file, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat(file, ": ", what));
}

absl::Status CheckCertificate(const std::string& file, const X509* certificate, absl::Time now) {
  if (certificate == nullptr) return Wrong(file, "holds no PEM certificate");
  time_t moment = absl::ToTimeT(now);
  if (X509_cmp_time(X509_get0_notAfter(certificate), &moment) < 0) return Wrong(file, "the certificate has expired");
  if (X509_cmp_time(X509_get0_notBefore(certificate), &moment) > 0) {
    return Wrong(file, "the certificate is not valid yet; is this machine's clock right?");
  }
  return absl::OkStatus();
}

absl::Status CheckKey(const config::v1::Tls& config, const TlsMaterial& material, const X509* certificate) {
  const Bio memory = MemoryOf(material.private_key);
  const PrivateKey key(PEM_read_bio_PrivateKey(memory.get(), nullptr, NoPassword, nullptr));
  if (key == nullptr) return Wrong(config.private_key_file(), "holds no PEM private key without a password");
  if (X509_check_private_key(certificate, key.get()) == 1) return absl::OkStatus();
  return Wrong(config.private_key_file(),
               absl::StrCat("is not the key of the certificate in ", config.certificate_file()));
}

absl::Status CheckMaterial(const config::v1::Tls& config, const TlsMaterial& material, absl::Time now) {
  const ErrorQueueGuard guard;
  const Certificate certificate = FirstCertificate(material.certificate);
  RETURN_IF_ERROR(AtConfigPath(kCertificate, CheckCertificate(config.certificate_file(), certificate.get(), now)));
  RETURN_IF_ERROR(AtConfigPath(kPrivateKey, CheckKey(config, material, certificate.get())));
  if (config.client_ca_file().empty() || FirstCertificate(material.client_ca) != nullptr) return absl::OkStatus();
  return AtConfigPath(kClientCa, Wrong(config.client_ca_file(), "holds no PEM certificate"));
}

absl::Status Take(const char* path, absl::StatusOr<std::string> read, std::string& text) {
  if (!read.ok()) return AtConfigPath(path, read.status());
  text = *std::move(read);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TlsMaterial> LoadTlsMaterial(const config::v1::Tls& config, absl::Time now) {
  TlsMaterial material;
  RETURN_IF_ERROR(Take(kCertificate, ReadKeyFile(config.certificate_file()), material.certificate));
  RETURN_IF_ERROR(Take(kPrivateKey, ReadSecretFile(config.private_key_file()), material.private_key));
  if (!config.client_ca_file().empty()) {
    RETURN_IF_ERROR(Take(kClientCa, ReadKeyFile(config.client_ca_file()), material.client_ca));
  }
  RETURN_IF_ERROR(CheckMaterial(config, material, now));
  return material;
}

}  // namespace toolgate::security::identity
