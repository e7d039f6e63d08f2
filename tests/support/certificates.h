// X.509 certificates for tests: an authority that issues them.
#ifndef TOOLGATE_TESTS_SUPPORT_CERTIFICATES_H_
#define TOOLGATE_TESTS_SUPPORT_CERTIFICATES_H_

#include <openssl/types.h>

#include <memory>
#include <string>
#include <vector>

namespace toolgate::testing {

struct IssuedCertificate {
  std::string certificate;  // PEM.
  std::string private_key;  // PEM.
};

// Aborts the test program if OpenSSL fails.
class TestAuthority {
 public:
  explicit TestAuthority(const std::string& name = "Test authority");

  // PEM.
  const std::string& certificate() const { return pem_; }

  struct Subject {
    std::string common_name = {};
    std::vector<std::string> alternative_names = {};  // "DNS:localhost", "URI:spiffe://…", "IP:127.0.0.1".
    int begins_in_seconds = -3600;
    int ends_in_seconds = 3600;
  };
  IssuedCertificate Issue(const Subject& subject) const;
  // For "localhost" and 127.0.0.1.
  IssuedCertificate IssueServer() const {
    return Issue({.common_name = "localhost", .alternative_names = {"DNS:localhost", "IP:127.0.0.1"}});
  }

 private:
  std::shared_ptr<EVP_PKEY> key_;
  std::shared_ptr<X509> certificate_;
  std::string pem_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_CERTIFICATES_H_
