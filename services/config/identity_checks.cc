#include "services/config/identity_checks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "common/yaml/yaml_proto.h"
#include "security/identity/identity.h"
#include "security/identity/jose/algorithm.h"
#include "security/identity/service_directory.h"
#include "security/identity/token_issuers.h"
#include "services/config/listen_address.h"

namespace toolgate::services::config {
namespace {

using security::Quoted;
using security::ReportProblem;
using toolgate::config::v1::Config;
using toolgate::config::v1::Jwt;
using toolgate::config::v1::Service;

struct Url {
  std::string scheme;
  std::string host;  // An IPv6 address with its brackets.
};

// "scheme://host[:port]/…", without user and password.
std::optional<Url> ParseUrl(std::string_view text) {
  const size_t colon = text.find("://");
  if (colon == std::string_view::npos) return std::nullopt;
  Url url{std::string(text.substr(0, colon)), ""};
  std::string_view authority = text.substr(colon + 3);
  authority = authority.substr(0, authority.find_first_of("/?#"));
  if (authority.empty() || authority.find_first_of("@\\ ") != std::string_view::npos) return std::nullopt;
  const size_t bracket = authority.rfind(']');
  const size_t port = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  url.host = authority.substr(0, port);
  return url;
}

bool IsLoopback(const std::string& host) {
  const auto address = ParseListenAddress(absl::StrCat(host, ":1"));
  return address.ok() && address->is_local();
}

class IdentityChecker {
 public:
  IdentityChecker(const Config& config, yaml::ReportProblem problem)
      : config_(config),
        tls_(config.server().tls()),
        jwt_(config.identity().jwt()),
        has_tls_(!tls_.certificate_file().empty()),
        has_tokens_(!jwt_.issuer().empty() || !jwt_.issuers().empty()),
        problem_(problem) {}

  void Run() {
    CheckTls();
    CheckCallers();
    CheckNetwork();
    CheckServices();
    CheckTokens();
  }

 private:
  void Problem(std::string_view path, std::string_view what) { problem_(path, what); }

  void CheckTls() {
    if (has_tls_ && tls_.private_key_file().empty()) {
      Problem("server.tls.private_key_file", "is empty; name the key of server.tls.certificate_file");
    }
    if (!has_tls_ && (!tls_.private_key_file().empty() || !tls_.client_ca_file().empty())) {
      Problem("server.tls.certificate_file",
              "is empty, so there is no TLS, while a key or client authorities are named; name the certificate too");
    }
  }

  // Checks which callers are admitted, and how they are identified.
  void CheckCallers() {
    const bool has_services = !config_.identity().services().empty();
    if (has_tls_ && tls_.client_ca_file().empty() && !has_tokens_) {
      Problem("server.tls",
              "would hide what callers say and not tell who they are; name server.tls.client_ca_file and "
              "identity.services, or write identity.jwt");
    }
    if (has_services && tls_.client_ca_file().empty()) {
      Problem("identity.services",
              "are known by their client certificates, and none is asked for; name server.tls.client_ca_file");
    }
    if (!tls_.client_ca_file().empty() && !has_services && !has_tokens_) {
      Problem("server.tls.client_ca_file", "nobody could call: no certificate is listed; write identity.services");
    }
  }

  void CheckNetwork() {
    const auto& server = config_.server();
    const auto listen = ParseListenAddress(server.listen());
    if (has_tls_ && listen.ok() && !listen->is_local() && server.channelz()) {
      Problem("server.channelz",
              "would show every client on the network who else is connected; write false, or listen on loopback");
    }
    if (server.health_listen().empty()) return;
    const auto health = ParseListenAddress(server.health_listen());
    if (!health.ok()) {
      Problem("server.health_listen",
              absl::StrCat(Quoted(server.health_listen()), " is no address to listen on: ", health.status().message()));
    } else if (server.health_listen() == server.listen() && (health->port != 0 || !health->unix_path.empty())) {
      Problem("server.health_listen", "is where server.listen is; write another address, or leave it empty");
    }
  }

  void CheckServices() {
    const auto& rows = config_.identity().services();
    std::set<std::string> names;
    for (const auto& [name, service] : std::map<std::string, Service>(rows.begin(), rows.end())) {
      CheckService(yaml::YamlPathOfKey("identity.services", name), name, service, names);
    }
  }

  void CheckService(const std::string& path, const std::string& name, const Service& service,
                    std::set<std::string>& names) {
    if (!security::identity::IsId(name)) {
      Problem(path, "is also its user id: 1 to 128 characters of A-Z a-z 0-9 . _ : @ -");
    }
    if (name == "token" || name == "development") Problem(path, "the name stands for other callers in the audit log");
    if (service.certificate_names().empty()) {
      Problem(path + ".certificate_names", "is empty; name what stands in its certificate");
    }
    for (int i = 0; i < service.certificate_names_size(); ++i) {
      CheckCertificateName(absl::StrCat(path, ".certificate_names[", i, "]"), service.certificate_names(i), names);
    }
    CheckRoles(path + ".roles", service.roles());
    if (!service.trusted() && service.workspaces_size() != 1) {
      Problem(path + ".workspaces",
              "must name the one workspace in which the service acts, unless it is trusted to say for whom it calls");
    }
    for (int i = 0; i < service.workspaces_size(); ++i) {
      if (security::identity::IsId(service.workspaces(i))) continue;
      Problem(absl::StrCat(path, ".workspaces[", i, "]"), absl::StrCat(Quoted(service.workspaces(i)), " is no id"));
    }
  }

  void CheckCertificateName(const std::string& path, const std::string& name, std::set<std::string>& names) {
    if (name.empty() || name == "cn:" || name.find('*') != std::string::npos) {
      Problem(path,
              absl::StrCat(Quoted(name),
                           " names no single certificate; write a URI, a DNS name or cn:NAME, without wildcards"));
    } else if (!names.insert(security::identity::CertificateNameForm(name)).second) {
      Problem(path, absl::StrCat(Quoted(name), " stands for a service already; a name stands for one"));
    }
  }

  template <typename Names>
  void CheckRoles(const std::string& path, const Names& names) {
    for (int i = 0; i < names.size(); ++i) {
      if (config_.identity().roles().contains(names[i])) continue;
      Problem(absl::StrCat(path, "[", i, "]"),
              absl::StrCat("there is no role ", Quoted(names[i]), "; write it under identity.roles"));
    }
  }

  void CheckTokens() {
    if (!jwt_.issuers().empty()) return CheckIssuers();
    if (has_tokens_) return CheckIssuer("identity.jwt", jwt_);
    if (CountSources(jwt_) == 0 && jwt_.audiences().empty() && jwt_.roles().empty()) return;
    Problem("identity.jwt.issuer",
            "is empty, so that any issuer would do; write what \"iss\" must be, or remove the rest of identity.jwt");
  }

  void CheckIssuers() {
    if (!jwt_.issuer().empty() || CountSources(jwt_) > 0 || !jwt_.audiences().empty() || !jwt_.algorithms().empty() ||
        !jwt_.jwks_ca_file().empty()) {
      Problem("identity.jwt.issuers",
              "stands beside an issuer, audiences, keys or algorithms in identity.jwt itself; write them in the list, "
              "each with its issuer");
    }
    std::set<std::string> names;
    std::set<std::string> sources;
    for (const security::identity::IssuerConfig& issuer : security::identity::IssuersOf(jwt_)) {
      const Jwt& jwt = issuer.jwt;
      if (jwt.issuer().empty()) {
        Problem(issuer.path + ".issuer", "is empty, so that any issuer would do; write what \"iss\" must be");
      } else if (!names.insert(jwt.issuer()).second) {
        Problem(issuer.path + ".issuer", absl::StrCat(Quoted(jwt.issuer()), " stands in the list already"));
      }
      for (const std::string& source : {jwt.jwks_file(), jwt.jwks_url(), jwt.secret_file()}) {
        if (source.empty() || sources.insert(source).second) continue;
        Problem(issuer.path, absl::StrCat("has the keys of another issuer, ", Quoted(source),
                                          ", so that each could make the other's tokens; give each its own"));
      }
      CheckIssuer(issuer.path, jwt);
    }
  }

  static int CountSources(const Jwt& jwt) {
    return !jwt.jwks_file().empty() + !jwt.jwks_url().empty() + !jwt.secret_file().empty();
  }

  void CheckIssuer(const std::string& path, const Jwt& jwt) {
    if (CountSources(jwt) != 1) {
      Problem(path,
              "needs exactly one of jwks_file, jwks_url and secret_file; public keys and a secret are never mixed");
    }
    CheckAudiences(path, jwt);
    CheckKeyAddress(path, jwt);
    CheckAlgorithms(path, jwt);
    CheckNames(path, jwt);
    CheckRoles(path + ".roles", jwt.roles());
  }

  void CheckAudiences(const std::string& path, const Jwt& jwt) {
    if (jwt.audiences().empty()) {
      Problem(path + ".audiences", "is empty, so that tokens meant for others would do; write what \"aud\" must hold");
    }
    for (int i = 0; i < jwt.audiences_size(); ++i) {
      if (jwt.audiences(i).empty()) Problem(absl::StrCat(path, ".audiences[", i, "]"), "is empty");
    }
  }

  void CheckKeyAddress(const std::string& path, const Jwt& jwt) {
    const std::string& text = jwt.jwks_url();
    const std::optional<Url> url = ParseUrl(text);
    if (!text.empty() && !url.has_value()) {
      Problem(path + ".jwks_url", absl::StrCat(Quoted(text), " is no address; write https://host/path"));
    } else if (url.has_value() && url->scheme != "https" && !(url->scheme == "http" && IsLoopback(url->host))) {
      Problem(path + ".jwks_url",
              absl::StrCat(Quoted(text),
                           ": whoever is on the way could put in keys of their own; write https:// (http:// is for the "
                           "loopback only)"));
    }
    if (!jwt.jwks_ca_file().empty() && (!url.has_value() || url->scheme != "https")) {
      Problem(path + ".jwks_ca_file", "is for a jwks_url with https, and there is none");
    }
  }

  void CheckAlgorithms(const std::string& path, const Jwt& jwt) {
    namespace jose = security::identity::jose;
    const bool secret = !jwt.secret_file().empty();
    const jose::AlgorithmSet fitting = secret ? jose::SymmetricAlgorithms() : jose::AsymmetricAlgorithms();
    for (int i = 0; i < jwt.algorithms_size(); ++i) {
      const auto algorithm = jose::AlgorithmFromName(jwt.algorithms(i));
      if (algorithm.has_value() && fitting.test(static_cast<size_t>(*algorithm))) continue;
      const std::string_view known = secret ? "with a secret HS256, HS384 or HS512"
                                            : "with public keys RS256, RS384, RS512, PS256, PS384, PS512, ES256, "
                                              "ES384, ES512 or EdDSA";
      Problem(absl::StrCat(path, ".algorithms[", i, "]"),
              absl::StrCat(Quoted(jwt.algorithms(i)), " cannot be used; ", ToAbsl(known)));
    }
  }

  void CheckNames(const std::string& path, const Jwt& jwt) {
    if (jwt.types().empty()) {
      Problem(path + ".types", "is empty, so that no token would do; write JWT or at+jwt");
    }
    const auto& claims = jwt.claims();
    if (claims.workspace().empty()) {
      Problem(path + ".claims.workspace", "is empty; name the claim that says the tenant");
    }
    if (claims.user().empty()) Problem(path + ".claims.user", "is empty; name the claim that says the user");
    const std::pair<std::string_view, const std::string&> names[] = {{"workspace", claims.workspace()},
                                                                     {"user", claims.user()},
                                                                     {"name", claims.name()},
                                                                     {"roles", claims.roles()},
                                                                     {"permissions", claims.permissions()}};
    for (const auto& [field, name] : names) {
      if (!name.starts_with('/') || IsPointer(name)) continue;
      Problem(absl::StrCat(path, ".claims.", ToAbsl(field)),
              absl::StrCat(Quoted(name), " is no JSON pointer; write \"~\" as \"~0\" and \"/\" as \"~1\""));
    }
  }

  static bool IsPointer(const std::string& text) {
    try {
      static_cast<void>(Json::json_pointer(text));
      return true;
    } catch (const Json::exception&) {
      return false;
    }
  }

  const Config& config_;
  const toolgate::config::v1::Tls& tls_;
  const Jwt& jwt_;
  const bool has_tls_;
  const bool has_tokens_;
  yaml::ReportProblem problem_;
};

}  // namespace

void CheckIdentity(const Config& config, yaml::ReportProblem problem) { IdentityChecker(config, problem).Run(); }

}  // namespace toolgate::services::config
