// The verifier must not crash on any token, and a token that it can parse must be the only encoding of its parts.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "common/digest.h"
#include "security/identity/jose/jws_verifier.h"
#include "security/identity/jose/key_set.h"

namespace {

using toolgate::security::identity::jose::AllAlgorithms;
using toolgate::security::identity::jose::JwsVerifier;
using toolgate::security::identity::jose::KeySet;

// The public keys of the examples of RFC 7515 and RFC 8037, one for each family.
constexpr std::string_view kKeys = R"({"keys": [
  {"kty": "oct", "k": "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"},
  {"kty": "RSA", "e": "AQAB", "n": "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"},
  {"kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},
  {"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]})";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto* const keys = new KeySet(*KeySet::Parse(kKeys, {.allow_secrets = true}));
  static const auto* const verifier = new JwsVerifier({.algorithms = AllAlgorithms()});
  const std::string_view token(reinterpret_cast<const char*>(data), size);
  const auto parts = verifier->Parse(token);
  const auto verified = verifier->Verify(token, *keys);
  if (!parts.ok() && verified.ok()) std::abort();
  if (!parts.ok()) return 0;
  const std::string again = std::string(parts->signing_input) + "." + toolgate::Base64UrlEncode(parts->signature);
  if (again != token) std::abort();
  return 0;
}
