// TLS and tokens of the HTTP listener.
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <ctime>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/certificates.h"
#include "tests/support/http_client.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_server.h"
#include "tests/support/token_forge.h"

namespace toolgate::services::http {
namespace {

using ::testing::HasSubstr;
using testing::HttpConnection;
using testing::MakeJwt;
using testing::SigningKey;
using ::testing::StartsWith;
using testing::TestServer;

class SecuredHttpTest : public ::testing::Test {
 protected:
  void Start(bool tls, bool unix_socket) {
    Write("keys.json", DumpJson(Json{{"keys", {key_.Jwk()}}}));
    const testing::IssuedCertificate issued = authority_.IssueServer();
    Write("server.pem", issued.certificate);
    Write("server.key", issued.private_key);
    server_ = std::make_unique<TestServer>([&](toolgate::config::v1::Config& config) {
      config.mutable_http()->set_listen(unix_socket ? "unix:" + Path("http") : "127.0.0.1:0");
      toolgate::config::v1::Jwt& jwt = *config.mutable_identity()->mutable_jwt();
      jwt.set_issuer("issuer");
      jwt.add_audiences("toolgate");
      jwt.set_jwks_file(Path("keys.json"));
      if (!tls) return;
      config.mutable_server()->mutable_tls()->set_certificate_file(Path("server.pem"));
      config.mutable_server()->mutable_tls()->set_private_key_file(Path("server.key"));
    });
  }

  std::string Path(const std::string& name) const { return dir_.path() + "/" + name; }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name)) << text;
    chmod(Path(name).c_str(), 0600);
  }
  std::string address() const { return server_->application().http_address(); }
  std::string Token() const {
    const int64_t now = std::time(nullptr);
    return MakeJwt(key_, "RS256", Json::object(),
                   {{"iss", "issuer"},
                    {"aud", "toolgate"},
                    {"sub", "ann"},
                    {"workspace", "w"},
                    {"roles", {"developer"}},
                    {"iat", now},
                    {"exp", now + 300}});
  }
  static std::string Request(std::string_view token) {
    const std::string authorization =
        token.empty() ? "" : absl::StrCat("Authorization: Bearer ", std::string(token), "\r\n");
    return absl::StrCat("GET /v1/undoEntries HTTP/1.1\r\nHost: gate.example.com\r\nConnection: close\r\n",
                        authorization, "\r\n");
  }
  // Everything that the server answers over TLS of `version` (0: any); "" if there is no handshake.
  std::string AskByTls(const std::string& request, int version = 0) const;

  testing::TempDir dir_;
  testing::TestAuthority authority_;
  SigningKey key_ = SigningKey::Rsa();
  std::unique_ptr<TestServer> server_;
};

std::string SecuredHttpTest::AskByTls(const std::string& request, int version) const {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
  Write("authority.pem", authority_.certificate());
  EXPECT_EQ(SSL_CTX_load_verify_locations(context.get(), Path("authority.pem").c_str(), nullptr), 1);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  if (version != 0) {
    SSL_CTX_set_security_level(context.get(), 0);
    SSL_CTX_set_min_proto_version(context.get(), version);
    SSL_CTX_set_max_proto_version(context.get(), version);
  }
  const HttpConnection connection(address());
  const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(context.get()), &SSL_free);
  SSL_set_fd(ssl.get(), connection.fd());
  if (SSL_connect(ssl.get()) != 1) return "";
  EXPECT_EQ(SSL_write(ssl.get(), request.data(), static_cast<int>(request.size())), static_cast<int>(request.size()));
  std::string answer;
  char bytes[4096];
  for (int count; (count = SSL_read(ssl.get(), bytes, sizeof bytes)) > 0;) {
    answer.append(bytes, static_cast<size_t>(count));
  }
  return answer;
}

TEST_F(SecuredHttpTest, ServesOverTlsToTokens) {
  Start(/*tls=*/true, /*unix_socket=*/false);
  EXPECT_THAT(AskByTls(Request(Token())), StartsWith("HTTP/1.1 200 "));
  const std::string refused = AskByTls(Request(""));
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(refused, HasSubstr("WWW-Authenticate: Bearer\r\n"));
  EXPECT_THAT(AskByTls(Request("forged." + Token())), StartsWith("HTTP/1.1 401 "));
}

TEST_F(SecuredHttpTest, TakesNoOldVersionOfTls) {
  Start(/*tls=*/true, /*unix_socket=*/false);
  EXPECT_EQ(AskByTls(Request(Token()), TLS1_1_VERSION), "");
  EXPECT_NE(AskByTls(Request(Token()), TLS1_2_VERSION), "");
  EXPECT_NE(AskByTls(Request(Token()), TLS1_3_VERSION), "");
}

TEST_F(SecuredHttpTest, AnswersNothingInPlaintextOnATlsPort) {
  Start(/*tls=*/true, /*unix_socket=*/false);
  HttpConnection connection(address());
  connection.Send(Request(Token()));
  EXPECT_EQ(connection.ReadHead().status, 0);
}

TEST_F(SecuredHttpTest, VerifiesCredentialsBeforeItReadsTheBody) {
  Start(/*tls=*/false, /*unix_socket=*/true);
  HttpConnection connection(address());
  connection.SendRequest("POST", "/v1/tools/get_block:execute", "this is no JSON");
  const testing::HttpReply reply = connection.Read();
  EXPECT_EQ(reply.status, 401) << reply.body;
  connection.SendRequest("POST", "/v1/tools/get_block:execute", "this is no JSON",
                         absl::StrCat("Authorization: Bearer ", Token(), "\r\n"));
  EXPECT_EQ(connection.Read().status, 400);
}

}  // namespace
}  // namespace toolgate::services::http
