#include "tests/support/token_forge.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <cstdlib>
#include <vector>

#include "common/digest.h"

namespace toolgate::testing {
namespace {

void Require(bool done) {
  if (!done) abort();
}

const unsigned char* Bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

const EVP_MD* HashOf(std::string_view algorithm) {
  if (algorithm.ends_with("256")) return EVP_sha256();
  return algorithm.ends_with("384") ? EVP_sha384() : EVP_sha512();
}

std::shared_ptr<EVP_PKEY> Own(EVP_PKEY* key) {
  Require(key != nullptr);
  return {key, EVP_PKEY_free};
}

std::string Number(EVP_PKEY* key, const char* name, int bytes = 0) {
  BIGNUM* number = nullptr;
  Require(EVP_PKEY_get_bn_param(key, name, &number) == 1);
  std::string text(static_cast<size_t>(bytes == 0 ? BN_num_bytes(number) : bytes), '\0');
  Require(BN_bn2binpad(number, reinterpret_cast<unsigned char*>(text.data()), static_cast<int>(text.size())) >= 0);
  BN_free(number);
  return text;
}

int CoordinateBytes(EVP_PKEY* key) { return (EVP_PKEY_get_bits(key) + 7) / 8; }

}  // namespace

SigningKey SigningKey::Rsa(int bits) {
  SigningKey key;
  key.key_ = Own(EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", static_cast<size_t>(bits)));
  return key;
}

SigningKey SigningKey::Ec(std::string_view curve) {
  SigningKey key;
  key.key_ = Own(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", std::string(curve).c_str()));
  return key;
}

SigningKey SigningKey::Ed25519() {
  SigningKey key;
  key.key_ = Own(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  return key;
}

SigningKey SigningKey::Secret(std::string_view bytes) {
  SigningKey key;
  key.secret_ = bytes;
  return key;
}

Json SigningKey::Jwk(const Json& members) const {
  Json jwk;
  if (key_ == nullptr) {
    jwk = {{"kty", "oct"}, {"k", Base64Url(secret_)}};
  } else if (EVP_PKEY_is_a(key_.get(), "RSA") == 1) {
    jwk = {{"kty", "RSA"},
           {"n", Base64Url(Number(key_.get(), OSSL_PKEY_PARAM_RSA_N))},
           {"e", Base64Url(Number(key_.get(), OSSL_PKEY_PARAM_RSA_E))}};
  } else if (EVP_PKEY_is_a(key_.get(), "EC") == 1) {
    const int bytes = CoordinateBytes(key_.get());
    const int bits = EVP_PKEY_get_bits(key_.get());
    jwk = {{"kty", "EC"},
           {"crv", bits == 256   ? "P-256"
                   : bits == 384 ? "P-384"
                                 : "P-521"},
           {"x", Base64Url(Number(key_.get(), OSSL_PKEY_PARAM_EC_PUB_X, bytes))},
           {"y", Base64Url(Number(key_.get(), OSSL_PKEY_PARAM_EC_PUB_Y, bytes))}};
  } else {
    std::string x(32, '\0');
    size_t size = x.size();
    Require(EVP_PKEY_get_raw_public_key(key_.get(), reinterpret_cast<unsigned char*>(x.data()), &size) == 1);
    jwk = {{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", Base64Url(x)}};
  }
  for (const auto& [name, value] : members.items()) jwk[name] = value;
  return jwk;
}

std::string SigningKey::SignDer(std::string_view algorithm, std::string_view message) const {
  EVP_MD_CTX* const context = EVP_MD_CTX_new();
  EVP_PKEY_CTX* key_context = nullptr;
  Require(EVP_DigestSignInit(context, &key_context, algorithm == "EdDSA" ? nullptr : HashOf(algorithm), nullptr,
                             key_.get()) == 1);
  if (algorithm.starts_with("PS")) {
    Require(EVP_PKEY_CTX_set_rsa_padding(key_context, RSA_PKCS1_PSS_PADDING) > 0 &&
            EVP_PKEY_CTX_set_rsa_pss_saltlen(key_context, RSA_PSS_SALTLEN_DIGEST) > 0);
  }
  size_t size = 0;
  Require(EVP_DigestSign(context, nullptr, &size, Bytes(message), message.size()) == 1);
  std::string signature(size, '\0');
  Require(EVP_DigestSign(context, reinterpret_cast<unsigned char*>(signature.data()), &size, Bytes(message),
                         message.size()) == 1);
  EVP_MD_CTX_free(context);
  signature.resize(size);
  return signature;
}

std::string SigningKey::SignPssWithSalt(std::string_view algorithm, std::string_view message, int salt_bytes) const {
  EVP_MD_CTX* const context = EVP_MD_CTX_new();
  EVP_PKEY_CTX* key_context = nullptr;
  Require(EVP_DigestSignInit(context, &key_context, HashOf(algorithm), nullptr, key_.get()) == 1 &&
          EVP_PKEY_CTX_set_rsa_padding(key_context, RSA_PKCS1_PSS_PADDING) > 0 &&
          EVP_PKEY_CTX_set_rsa_pss_saltlen(key_context, salt_bytes) > 0);
  size_t size = static_cast<size_t>(EVP_PKEY_get_size(key_.get()));
  std::string signature(size, '\0');
  Require(EVP_DigestSign(context, reinterpret_cast<unsigned char*>(signature.data()), &size, Bytes(message),
                         message.size()) == 1);
  EVP_MD_CTX_free(context);
  return signature;
}

std::string SigningKey::Sign(std::string_view algorithm, std::string_view message) const {
  if (algorithm.starts_with("HS")) {
    std::string mac(EVP_MAX_MD_SIZE, '\0');
    unsigned int size = 0;
    const std::string secret = key_ == nullptr ? secret_ : PublicPem();
    Require(HMAC(HashOf(algorithm), secret.data(), static_cast<int>(secret.size()), Bytes(message), message.size(),
                 reinterpret_cast<unsigned char*>(mac.data()), &size) != nullptr);
    mac.resize(size);
    return mac;
  }
  std::string der = SignDer(algorithm, message);
  if (!algorithm.starts_with("ES")) return der;
  const unsigned char* at = Bytes(der);
  ECDSA_SIG* const pair = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()));
  const int bytes = CoordinateBytes(key_.get());
  std::string raw(static_cast<size_t>(2 * bytes), '\0');
  auto* const out = reinterpret_cast<unsigned char*>(raw.data());
  Require(BN_bn2binpad(ECDSA_SIG_get0_r(pair), out, bytes) == bytes &&
          BN_bn2binpad(ECDSA_SIG_get0_s(pair), out + bytes, bytes) == bytes);
  ECDSA_SIG_free(pair);
  return raw;
}

std::string SigningKey::PublicPem() const {
  BIO* const memory = BIO_new(BIO_s_mem());
  Require(PEM_write_bio_PUBKEY(memory, key_.get()) == 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  std::string pem(data, static_cast<size_t>(size));
  BIO_free(memory);
  return pem;
}

std::string Base64Url(std::string_view bytes) { return Base64UrlEncode(bytes); }

std::string MakeToken(const SigningKey& key, std::string_view algorithm, std::string_view header,
                      std::string_view payload) {
  const std::string input = Base64Url(header) + "." + Base64Url(payload);
  return input + "." + Base64Url(key.Sign(algorithm, input));
}

std::string MakeJwt(const SigningKey& key, std::string_view algorithm, const Json& members, const Json& claims) {
  Json header{{"alg", algorithm}};
  for (const auto& [name, value] : members.items()) header[name] = value;
  return MakeToken(key, algorithm, DumpJson(header), DumpJson(claims));
}

}  // namespace toolgate::testing
