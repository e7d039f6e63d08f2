#include "tests/support/certificates.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdlib>

namespace toolgate::testing {
namespace {

void Require(bool done) {
  if (!done) abort();
}

template <typename Write>
std::string ToPem(Write write) {
  BIO* const memory = BIO_new(BIO_s_mem());
  Require(write(memory) == 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  std::string pem(data, static_cast<size_t>(size));
  BIO_free(memory);
  return pem;
}

std::string PemOf(X509* certificate) {
  return ToPem([&](BIO* out) { return PEM_write_bio_X509(out, certificate); });
}

void AddExtension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  Require(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

X509* Begin(EVP_PKEY* key, const std::string& common_name, int begins, int ends) {
  X509* const certificate = X509_new();
  BIGNUM* const serial = BN_new();
  Require(BN_rand(serial, 64, 0, 0) == 1 && BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(certificate)) != nullptr);
  BN_free(serial);
  X509_set_version(certificate, 2);
  X509_gmtime_adj(X509_getm_notBefore(certificate), begins);
  X509_gmtime_adj(X509_getm_notAfter(certificate), ends);
  X509_set_pubkey(certificate, key);
  if (!common_name.empty()) {
    Require(X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                                       reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1, 0) == 1);
  }
  return certificate;
}

EVP_PKEY* NewKey() {
  EVP_PKEY* const key = EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256");
  Require(key != nullptr);
  return key;
}

}  // namespace

TestAuthority::TestAuthority(const std::string& name) : key_(NewKey(), EVP_PKEY_free) {
  certificate_ = {Begin(key_.get(), name, -7200, 7200), X509_free};
  X509_set_issuer_name(certificate_.get(), X509_get_subject_name(certificate_.get()));
  AddExtension(certificate_.get(), certificate_.get(), NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(certificate_.get(), certificate_.get(), NID_key_usage, "critical,keyCertSign");
  Require(X509_sign(certificate_.get(), key_.get(), EVP_sha256()) > 0);
  pem_ = PemOf(certificate_.get());
}

IssuedCertificate TestAuthority::Issue(const Subject& subject) const {
  const std::shared_ptr<EVP_PKEY> key(NewKey(), EVP_PKEY_free);
  const std::shared_ptr<X509> certificate(
      Begin(key.get(), subject.common_name, subject.begins_in_seconds, subject.ends_in_seconds), X509_free);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate_.get()));
  std::string names;
  for (const std::string& name : subject.alternative_names) names += (names.empty() ? "" : ",") + name;
  if (!names.empty()) AddExtension(certificate.get(), certificate_.get(), NID_subject_alt_name, names);
  Require(X509_sign(certificate.get(), key_.get(), EVP_sha256()) > 0);
  return {PemOf(certificate.get()), ToPem([&](BIO* out) {
            return PEM_write_bio_PKCS8PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          })};
}

}  // namespace toolgate::testing
