#include "security/identity/jose/verification_key.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/digest.h"
#include "common/openssl_ptr.h"
#include "common/status_macros.h"
#include "security/identity/jose/base64url.h"

namespace toolgate::security::identity::jose {
namespace {

constexpr int kMinRsaBits = 2048;
// The cost of checking a signature grows with the square of the modulus and with the exponent's length; larger ones are
// not needed in practice.
constexpr int kMaxRsaBits = 8192;
constexpr size_t kMaxExponentBytes = 8;
constexpr size_t kMinSecretBytes = 32;
constexpr size_t kMaxSecretBytes = 4096;
constexpr size_t kEd25519Bytes = 32;
constexpr size_t kMaxKeyId = 256;
// RFC 7518 sections 6.2.2 and 6.3.2, RFC 8037 section 2.
constexpr const char* kPrivateMembers[] = {"d", "p", "q", "dp", "dq", "qi", "oth"};

using Bignum = std::unique_ptr<BIGNUM, OpensslDeleter<BN_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, OpensslDeleter<EVP_PKEY_CTX_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, OpensslDeleter<EVP_MD_CTX_free>>;
using ParamBuilder = std::unique_ptr<OSSL_PARAM_BLD, OpensslDeleter<OSSL_PARAM_BLD_free>>;
using Params = std::unique_ptr<OSSL_PARAM, OpensslDeleter<OSSL_PARAM_free>>;
using EcdsaSignature = std::unique_ptr<ECDSA_SIG, OpensslDeleter<ECDSA_SIG_free>>;

const unsigned char* Bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

// Clears OpenSSL's notes about a failure, which the next query on this thread would otherwise find.
struct ErrorQueueGuard {
  ~ErrorQueueGuard() { ERR_clear_error(); }
};

absl::StatusOr<std::string> TextOf(const Json& jwk, const char* member) {
  const auto found = jwk.find(member);
  if (found == jwk.end() || !found->is_string()) {
    return absl::InvalidArgumentError(absl::StrCat("the key's \"", member, "\" must be a string"));
  }
  return found->get<std::string>();
}

absl::StatusOr<std::string> BytesOf(const Json& jwk, const char* member) {
  ASSIGN_OR_RETURN(const std::string text, TextOf(jwk, member));
  std::optional<std::string> bytes = DecodeBase64Url(text);
  if (!bytes.has_value() || bytes->empty()) {
    return absl::InvalidArgumentError(absl::StrCat("the key's \"", member, "\" is not base64url without padding"));
  }
  return *std::move(bytes);
}

// RFC 7518 section 2, Base64urlUInt: no leading zero octets.
absl::StatusOr<Bignum> NumberOf(const Json& jwk, const char* member) {
  ASSIGN_OR_RETURN(const std::string bytes, BytesOf(jwk, member));
  if (bytes[0] == '\0') return absl::InvalidArgumentError(absl::StrCat("the key's \"", member, "\" begins with zero"));
  Bignum number(BN_bin2bn(Bytes(bytes), static_cast<int>(bytes.size()), nullptr));
  if (number == nullptr) return absl::ResourceExhaustedError("no memory for a key");
  return number;
}

// Converts OpenSSL's parameters to a key whose public part has been checked; null if they are not valid.
EVP_PKEY* MakeKey(const char* type, OSSL_PARAM* params) {
  const KeyContext maker(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* key = nullptr;
  if (maker == nullptr || EVP_PKEY_fromdata_init(maker.get()) <= 0 ||
      EVP_PKEY_fromdata(maker.get(), &key, EVP_PKEY_PUBLIC_KEY, params) <= 0) {
    return nullptr;
  }
  const KeyContext checker(EVP_PKEY_CTX_new_from_pkey(nullptr, key, nullptr));
  if (checker != nullptr && EVP_PKEY_public_check(checker.get()) > 0) return key;
  EVP_PKEY_free(key);
  return nullptr;
}

// r and s of the curve's size, one after the other (RFC 7518 section 3.4), as OpenSSL wants them.
std::string ToDer(std::string_view signature) {
  const int half = static_cast<int>(signature.size() / 2);
  Bignum r(BN_bin2bn(Bytes(signature), half, nullptr));
  Bignum s(BN_bin2bn(Bytes(signature) + half, half, nullptr));
  const EcdsaSignature pair(ECDSA_SIG_new());
  if (r == nullptr || s == nullptr || pair == nullptr) return "";
  if (ECDSA_SIG_set0(pair.get(), r.get(), s.get()) != 1) return "";
  // The pair owns them now.
  static_cast<void>(r.release());
  static_cast<void>(s.release());
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(pair.get(), &der);
  if (size <= 0) return "";
  std::string text(reinterpret_cast<char*>(der), static_cast<size_t>(size));
  OPENSSL_free(der);
  return text;
}

bool SetPssPadding(EVP_PKEY_CTX* context, const char* hash) {
  return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) > 0 &&
         EVP_PKEY_CTX_set_rsa_mgf1_md_name(context, hash, nullptr) > 0 &&
         EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) > 0;
}

AlgorithmSet SetOf(Family family) {
  AlgorithmSet set;
  for (size_t i = 0; i < kAlgorithms; ++i) set.set(i, TraitsOf(static_cast<Algorithm>(i)).family == family);
  return set;
}

// Whether the modulus has the fingerprint of the generator of CVE-2017-15361 (ROCA), whose keys can be factored: its
// primes are powers of 65537 modulo each of these small primes, and so is their product. One sound key in some 200
// million looks the same.
bool IsFromBrokenGenerator(const BIGNUM* modulus) {
  constexpr unsigned kPrimes[] = {11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157};
  return std::all_of(std::begin(kPrimes), std::end(kPrimes), [&](unsigned prime) {
    const BN_ULONG rest = BN_mod_word(modulus, prime);
    unsigned power = 1;
    do {
      if (power == rest) return true;
      power = power * (65537 % prime) % prime;
    } while (power != 1);
    return false;
  });
}

// The "alg" of a key. Some name the ES512 of RFC 7518 after its curve; a token's header must not.
std::optional<Algorithm> KeyAlgorithmFromName(std::string_view name) {
  return name == "ES521" ? Algorithm::kEs512 : AlgorithmFromName(name);
}

absl::Status CheckUse(const Json& jwk) {
  const auto use = jwk.find("use");
  if (use == jwk.end()) return absl::OkStatus();
  if (!use->is_string()) return absl::InvalidArgumentError("the key's \"use\" must be a string");
  if (*use != "sig") return absl::UnimplementedError("the key's \"use\" is not \"sig\"");
  return absl::OkStatus();
}

absl::Status CheckOperations(const Json& jwk) {
  const auto operations = jwk.find("key_ops");
  if (operations == jwk.end()) return absl::OkStatus();
  if (!operations->is_array()) return absl::InvalidArgumentError("the key's \"key_ops\" must be an array");
  std::set<std::string> names;
  for (const Json& operation : *operations) {
    if (!operation.is_string() || !names.insert(operation.get<std::string>()).second) {
      return absl::InvalidArgumentError("the key's \"key_ops\" must hold strings, each once");
    }
  }
  if (names.contains("verify")) return absl::OkStatus();
  return absl::UnimplementedError("the key's \"key_ops\" do not include \"verify\"");
}

}  // namespace

void VerificationKey::PkeyDeleter::operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }

VerificationKey::VerificationKey() = default;
VerificationKey::VerificationKey(VerificationKey&&) noexcept = default;
VerificationKey& VerificationKey::operator=(VerificationKey&&) noexcept = default;
VerificationKey::~VerificationKey() { OPENSSL_cleanse(secret_.data(), secret_.size()); }

absl::StatusOr<VerificationKey> VerificationKey::FromJwk(const Json& jwk) {
  const ErrorQueueGuard guard;
  if (!jwk.is_object()) return absl::InvalidArgumentError("a key must be a JSON object");
  ASSIGN_OR_RETURN(const std::string type, TextOf(jwk, "kty"));
  absl::StatusOr<VerificationKey> key = absl::UnimplementedError("the key's \"kty\" is none of RSA, EC, OKP and oct");
  if (type == "RSA") key = Rsa(jwk);
  if (type == "EC") key = Ec(jwk);
  if (type == "OKP") key = Okp(jwk);
  if (type == "oct") key = Oct(jwk);
  if (!key.ok()) return key;
  RETURN_IF_ERROR(key->Restrict(jwk));
  return key;
}

bool VerificationKey::HasPrivatePart(const Json& jwk) {
  if (!jwk.is_object()) return false;
  const auto type = jwk.find("kty");
  if (type != jwk.end() && *type == "oct" && jwk.contains("k")) return true;
  return std::any_of(std::begin(kPrivateMembers), std::end(kPrivateMembers),
                     [&](const char* member) { return jwk.contains(member); });
}

absl::Status VerificationKey::Restrict(const Json& jwk) {
  RETURN_IF_ERROR(CheckUse(jwk));
  RETURN_IF_ERROR(CheckOperations(jwk));
  if (jwk.contains("kid")) {
    ASSIGN_OR_RETURN(id_, TextOf(jwk, "kid"));
    if (id_.size() > kMaxKeyId) return absl::InvalidArgumentError("the key's \"kid\" is longer than 256 bytes");
  }
  if (jwk.contains("alg")) {
    ASSIGN_OR_RETURN(const std::string name, TextOf(jwk, "alg"));
    const std::optional<Algorithm> algorithm = KeyAlgorithmFromName(name);
    if (!algorithm.has_value()) return absl::UnimplementedError("the key's \"alg\" is no known signature algorithm");
    if (!Supports(*algorithm)) {
      return absl::InvalidArgumentError("the key's \"alg\" does not fit its type, curve or length");
    }
    algorithms_ = AlgorithmSet().set(static_cast<size_t>(*algorithm));
  }
  return absl::OkStatus();
}

absl::StatusOr<VerificationKey> VerificationKey::Rsa(const Json& jwk) {
  ASSIGN_OR_RETURN(const Bignum modulus, NumberOf(jwk, "n"));
  ASSIGN_OR_RETURN(const Bignum exponent, NumberOf(jwk, "e"));
  const int bits = BN_num_bits(modulus.get());
  if (bits < kMinRsaBits || bits > kMaxRsaBits) {
    return absl::InvalidArgumentError(
        absl::StrCat("the RSA key has ", bits, " bits; it must have ", kMinRsaBits, " to ", kMaxRsaBits));
  }
  if (!BN_is_odd(modulus.get()) || !BN_is_odd(exponent.get()) || BN_is_one(exponent.get()) ||
      static_cast<size_t>(BN_num_bytes(exponent.get())) > kMaxExponentBytes) {
    return absl::InvalidArgumentError("the RSA key's modulus must be odd, and its exponent odd, above 1, and short");
  }
  if (IsFromBrokenGenerator(modulus.get())) {
    return absl::InvalidArgumentError("the RSA key was made by a broken generator, and can be factored (ROCA)");
  }
  const ParamBuilder builder(OSSL_PARAM_BLD_new());
  if (builder == nullptr || OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, modulus.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, exponent.get()) != 1) {
    return absl::ResourceExhaustedError("no memory for a key");
  }
  const Params params(OSSL_PARAM_BLD_to_param(builder.get()));
  VerificationKey key;
  key.public_key_.reset(MakeKey("RSA", params.get()));
  if (key.public_key_ == nullptr) return absl::InvalidArgumentError("the RSA key is not a sound one");
  key.algorithms_ = SetOf(Family::kRsaPkcs1) | SetOf(Family::kRsaPss);
  return key;
}

absl::StatusOr<VerificationKey> VerificationKey::Ec(const Json& jwk) {
  ASSIGN_OR_RETURN(const std::string curve, TextOf(jwk, "crv"));
  VerificationKey key;
  size_t coordinate = 0;
  for (const Algorithm algorithm : {Algorithm::kEs256, Algorithm::kEs384, Algorithm::kEs512}) {
    if (curve != TraitsOf(algorithm).curve) continue;
    key.algorithms_.set(static_cast<size_t>(algorithm));
    coordinate = TraitsOf(algorithm).signature_bytes / 2;
  }
  if (coordinate == 0) return absl::UnimplementedError("the EC key's \"crv\" is none of P-256, P-384 and P-521");
  ASSIGN_OR_RETURN(const std::string x, BytesOf(jwk, "x"));
  ASSIGN_OR_RETURN(const std::string y, BytesOf(jwk, "y"));
  if (x.size() != coordinate || y.size() != coordinate) {
    return absl::InvalidArgumentError("the EC key's coordinates are not of the curve's length");
  }
  std::string point = absl::StrCat("\x04", x, y);
  std::string group = curve;
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group.data(), group.size()),
                               OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()),
                               OSSL_PARAM_construct_end()};
  key.public_key_.reset(MakeKey("EC", const_cast<OSSL_PARAM*>(params)));
  if (key.public_key_ == nullptr) return absl::InvalidArgumentError("the EC key is not a point on its curve");
  return key;
}

absl::StatusOr<VerificationKey> VerificationKey::Okp(const Json& jwk) {
  ASSIGN_OR_RETURN(const std::string curve, TextOf(jwk, "crv"));
  if (curve != "Ed25519") return absl::UnimplementedError("the OKP key's \"crv\" is not Ed25519");
  ASSIGN_OR_RETURN(const std::string x, BytesOf(jwk, "x"));
  if (x.size() != kEd25519Bytes) return absl::InvalidArgumentError("the Ed25519 key is not 32 bytes long");
  VerificationKey key;
  key.public_key_.reset(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, Bytes(x), x.size()));
  if (key.public_key_ == nullptr) return absl::InvalidArgumentError("the Ed25519 key is not a sound one");
  key.algorithms_.set(static_cast<size_t>(Algorithm::kEdDsa));
  return key;
}

absl::StatusOr<VerificationKey> VerificationKey::Oct(const Json& jwk) {
  ASSIGN_OR_RETURN(std::string secret, BytesOf(jwk, "k"));
  absl::StatusOr<VerificationKey> key = FromSecret(secret);
  OPENSSL_cleanse(secret.data(), secret.size());
  return key;
}

absl::StatusOr<VerificationKey> VerificationKey::FromSecret(std::string_view secret) {
  if (secret.size() < kMinSecretBytes || secret.size() > kMaxSecretBytes) {
    return absl::InvalidArgumentError(absl::StrCat("the secret has ", secret.size(), " bytes; it must have ",
                                                   kMinSecretBytes, " to ", kMaxSecretBytes));
  }
  VerificationKey key;
  for (const Algorithm algorithm : {Algorithm::kHs256, Algorithm::kHs384, Algorithm::kHs512}) {
    if (secret.size() >= TraitsOf(algorithm).hash_bytes) key.algorithms_.set(static_cast<size_t>(algorithm));
  }
  key.secret_ = secret;
  return key;
}

bool VerificationKey::Verify(Algorithm algorithm, std::string_view message, std::string_view signature) const {
  const AlgorithmTraits& traits = TraitsOf(algorithm);
  if (!Supports(algorithm) || signature.empty()) return false;
  if (traits.signature_bytes != 0 && signature.size() != traits.signature_bytes) return false;
  if (traits.family != Family::kHmac) return VerifyPublic(traits, message, signature);
  std::string mac(traits.hash_bytes, '\0');
  unsigned int size = 0;
  const EVP_MD* hash = EVP_get_digestbyname(traits.hash);
  return HMAC(hash, secret_.data(), static_cast<int>(secret_.size()), Bytes(message), message.size(),
              reinterpret_cast<unsigned char*>(mac.data()), &size) != nullptr &&
         ConstantTimeEqual(mac, signature);
}

bool VerificationKey::VerifyPublic(const AlgorithmTraits& traits, std::string_view message,
                                   std::string_view signature) const {
  const ErrorQueueGuard guard;
  const DigestContext context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* key_context = nullptr;  // Owned by `context`.
  if (context == nullptr || EVP_DigestVerifyInit_ex(context.get(), &key_context, traits.hash, nullptr, nullptr,
                                                    public_key_.get(), nullptr) <= 0) {
    return false;
  }
  std::string der;
  if (traits.family == Family::kEcdsa) signature = der = ToDer(signature);
  if (traits.family == Family::kRsaPss && !SetPssPadding(key_context, traits.hash)) return false;
  const size_t modulus = static_cast<size_t>(EVP_PKEY_get_size(public_key_.get()));
  if (traits.signature_bytes == 0 && signature.size() != modulus) return false;
  return EVP_DigestVerify(context.get(), Bytes(signature), signature.size(), Bytes(message), message.size()) == 1;
}

}  // namespace toolgate::security::identity::jose
