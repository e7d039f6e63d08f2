// TLS, client certificates, tokens, roles and the health listener, over real connections.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/duration.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "gtest/gtest.h"
#include "tests/support/certificates.h"
#include "tests/support/test_server.h"
#include "tests/support/token_forge.h"

namespace toolgate {
namespace {

using grpc::StatusCode;
using testing::ErrorInfoOf;
using ::testing::HasSubstr;
using testing::IssuedCertificate;
using testing::MakeJwt;
using ::testing::Not;
using testing::SigningKey;
using testing::TempDir;
using testing::TestAuthority;
using testing::TestServer;

class CredentialsTest : public ::testing::Test {
 protected:
  CredentialsTest() {
    WriteServer(authority_.IssueServer());
    Write("client_ca.pem", clients_.certificate());
    Write("keys.json", DumpJson(Json{{"keys", {key_.Jwk()}}}));
  }

  std::string Path(const std::string& name) const { return dir_.path() + "/" + name; }
  // Replaces the file atomically, as one should.
  void Write(const std::string& name, const std::string& text, mode_t mode = 0600) {
    std::ofstream(Path(name + ".new")) << text;
    chmod(Path(name + ".new").c_str(), mode);
    std::filesystem::rename(Path(name + ".new"), Path(name));
  }
  void WriteServer(const IssuedCertificate& issued) {
    Write("server.pem", issued.certificate);
    Write("server.key", issued.private_key);
  }

  void AddTls(config::v1::Config& config, bool clients) const {
    config::v1::Tls& tls = *config.mutable_server()->mutable_tls();
    tls.set_certificate_file(Path("server.pem"));
    tls.set_private_key_file(Path("server.key"));
    if (clients) tls.set_client_ca_file(Path("client_ca.pem"));
    tls.mutable_refresh_interval()->clear_seconds();  // Each handshake checks the files.
  }
  static void AddServices(config::v1::Config& config) {
    auto& services = *config.mutable_identity()->mutable_services();
    services["planner"].add_certificate_names("spiffe://example.org/planner");
    services["planner"].add_roles("developer");
    services["planner"].set_trusted(true);
    services["batch"].add_certificate_names("cn:batch");
    services["batch"].add_roles("developer");
    services["batch"].add_workspaces("w");
  }
  void AddTokens(config::v1::Config& config) const {
    config::v1::Jwt& jwt = *config.mutable_identity()->mutable_jwt();
    jwt.set_issuer("issuer");
    jwt.add_audiences("toolgate");
    jwt.set_jwks_file(Path("keys.json"));
  }
  void StartMutual() {
    server_ = std::make_unique<TestServer>([this](config::v1::Config& config) {
      AddTls(config, /*clients=*/true);
      AddServices(config);
    });
  }
  void StartTokens() {
    server_ = std::make_unique<TestServer>([this](config::v1::Config& config) {
      AddTls(config, /*clients=*/false);
      AddTokens(config);
    });
  }

  void ExpectNoReloadWithoutCredentials() {
    config::v1::Config config = server_->config();
    config.mutable_identity()->clear_jwt();
    config.mutable_identity()->clear_services();
    config.mutable_server()->clear_tls();
    const absl::Status status = server_->application().Reload(config);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr("nothing says any more who may call"));
  }

  IssuedCertificate Planner() const {
    return clients_.Issue({.common_name = "whatever", .alternative_names = {"URI:spiffe://example.org/planner"}});
  }
  std::shared_ptr<grpc::Channel> Dial(const IssuedCertificate& client, const std::string& trusted) const {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = trusted;
    options.pem_cert_chain = client.certificate;
    options.pem_private_key = client.private_key;
    // A session of its own, so that each channel shakes hands.
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(server_->application().address(), grpc::SslCredentials(options), arguments);
  }
  std::shared_ptr<grpc::Channel> Dial(const IssuedCertificate& client = {}) const {
    return Dial(client, authority_.certificate());
  }
  static grpc::Status Call(const std::shared_ptr<grpc::Channel>& channel, const v1::ExecuteRequest& request,
                           const std::string& token = "", v1::ExecuteResponse* answer = nullptr) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
    v1::ExecuteResponse response;
    const grpc::Status status =
        v1::ToolService::NewStub(channel)->Execute(&context, request, answer == nullptr ? &response : answer);
    return status;
  }
  static v1::ExecuteRequest Ask(const std::string& workspace, const std::string& user) {
    v1::ExecuteRequest request;
    request.set_tool_id("list_tasks");
    request.mutable_caller()->set_workspace_id(workspace);
    request.mutable_caller()->set_user_id(user);
    return request;
  }
  std::string Token(const Json& changes = Json::object()) const {
    Json claims{{"iss", "issuer"},     {"aud", "toolgate"}, {"exp", absl::ToUnixSeconds(absl::Now()) + 600},
                {"workspace", "acme"}, {"sub", "ann"},      {"roles", {"developer"}}};
    for (const auto& [name, value] : changes.items()) claims[name] = value;
    return MakeJwt(key_, "ES256", Json::object(), claims);
  }

  TempDir dir_;
  const TestAuthority authority_{"Server authority"};
  const TestAuthority clients_{"Client authority"};
  const SigningKey key_ = SigningKey::Ec("P-256");
  std::unique_ptr<TestServer> server_;
};

TEST_F(CredentialsTest, ACertificateNamesAServiceWhichNamesItsUser) {
  StartMutual();
  EXPECT_TRUE(Call(Dial(Planner()), Ask("acme", "ann")).ok());
  v1::SearchEntriesRequest search;
  search.mutable_caller()->set_workspace_id("acme");
  search.mutable_caller()->set_user_id("ann");
  v1::SearchEntriesResponse found;
  grpc::ClientContext context;
  ASSERT_TRUE(v1::AuditService::NewStub(Dial(Planner()))->SearchEntries(&context, search, &found).ok());
  ASSERT_EQ(found.entries_size(), 1);
  EXPECT_EQ(found.entries(0).user_id(), "ann");
  EXPECT_EQ(found.entries(0).caller_service(), "planner");
  const grpc::Status nobody = Call(Dial(Planner()), Ask("", ""));
  EXPECT_EQ(ErrorInfoOf(nobody).reason(), "INVALID_PARAMS");
}

TEST_F(CredentialsTest, AServiceThatIsNotTrustedSpeaksForItself) {
  StartMutual();
  const IssuedCertificate batch = clients_.Issue({.common_name = "batch"});
  EXPECT_TRUE(Call(Dial(batch), Ask("", "")).ok());
  EXPECT_EQ(ErrorInfoOf(Call(Dial(batch), Ask("w", "ann"))).reason(), "FORBIDDEN");
  EXPECT_EQ(ErrorInfoOf(Call(Dial(batch), Ask("other", ""))).reason(), "FORBIDDEN");
}

TEST_F(CredentialsTest, AListedNameCountsOnlyUnderTheRightAuthority) {
  StartMutual();
  const auto stranger = clients_.Issue({.alternative_names = {"URI:spiffe://example.org/other"}});
  EXPECT_EQ(ErrorInfoOf(Call(Dial(stranger), Ask("acme", "ann"))).reason(), "UNAUTHORIZED");
  // Two SPIFFE ids in one certificate count as none.
  const auto two =
      clients_.Issue({.alternative_names = {"URI:spiffe://example.org/planner", "URI:spiffe://example.org/other"}});
  EXPECT_FALSE(Call(Dial(two), Ask("acme", "ann")).ok());
  const auto forged =
      TestAuthority("Client authority").Issue({.alternative_names = {"URI:spiffe://example.org/planner"}});
  EXPECT_EQ(Call(Dial(forged), Ask("acme", "ann")).error_code(), StatusCode::UNAVAILABLE);
  const auto expired =
      clients_.Issue({.alternative_names = {"URI:spiffe://example.org/planner"}, .ends_in_seconds = -60});
  EXPECT_EQ(Call(Dial(expired), Ask("acme", "ann")).error_code(), StatusCode::UNAVAILABLE);
  EXPECT_EQ(Call(Dial(), Ask("acme", "ann")).error_code(), StatusCode::UNAVAILABLE) << "no certificate at all";
  const auto plain = grpc::CreateChannel(server_->application().address(), grpc::InsecureChannelCredentials());
  EXPECT_EQ(Call(plain, Ask("acme", "ann")).error_code(), StatusCode::UNAVAILABLE);
}

TEST_F(CredentialsTest, ATokenNamesTheUserOverTls) {
  StartTokens();
  const auto channel = Dial();
  EXPECT_TRUE(Call(channel, Ask("", ""), Token()).ok());
  EXPECT_TRUE(Call(channel, Ask("acme", "ann"), Token()).ok());
  EXPECT_EQ(ErrorInfoOf(Call(channel, Ask("", ""))).reason(), "UNAUTHORIZED");
  EXPECT_EQ(ErrorInfoOf(Call(channel, Ask("", ""), "x.y.z")).reason(), "UNAUTHORIZED");
  EXPECT_EQ(ErrorInfoOf(Call(channel, Ask("", ""), Token({{"aud", "other"}}))).reason(), "UNAUTHORIZED");
  EXPECT_EQ(ErrorInfoOf(Call(channel, Ask("", ""), Token({{"exp", 1}}))).reason(), "UNAUTHORIZED");
  const grpc::Status contradiction = Call(channel, Ask("beta", ""), Token());
  EXPECT_EQ(ErrorInfoOf(contradiction).reason(), "FORBIDDEN");
  EXPECT_THAT(contradiction.error_message(), HasSubstr("caller.workspace_id"));
  EXPECT_EQ(ErrorInfoOf(Call(channel, Ask("", ""), Token({{"roles", {"nobody"}}}))).reason(), "FORBIDDEN");
}

TEST_F(CredentialsTest, OneAuthorizationIsReadAndTwoAreNone) {
  StartTokens();
  const auto stub = v1::ToolService::NewStub(Dial());
  const auto call = [&](const std::vector<std::string>& values) {
    grpc::ClientContext context;
    for (const std::string& value : values) context.AddMetadata("authorization", value);
    v1::ExecuteResponse response;
    return stub->Execute(&context, Ask("", ""), &response);
  };
  EXPECT_TRUE(call({"Bearer " + Token()}).ok());
  EXPECT_TRUE(call({"bearer " + Token()}).ok()) << "a scheme's case does not count";
  EXPECT_EQ(ErrorInfoOf(call({"Bearer " + Token(), "Bearer " + Token()})).reason(), "UNAUTHORIZED");
  EXPECT_EQ(ErrorInfoOf(call({"Basic YW5uOmFubg=="})).reason(), "UNAUTHORIZED");
  EXPECT_EQ(ErrorInfoOf(call({Token()})).reason(), "UNAUTHORIZED");
  EXPECT_EQ(ErrorInfoOf(call({"Bearer  " + Token()})).reason(), "UNAUTHORIZED");
}

TEST_F(CredentialsTest, NewFilesAreTakenUpAndBrokenOnesAreNot) {
  StartTokens();
  const TestAuthority next("Next authority");
  EXPECT_TRUE(Call(Dial(), Ask("", ""), Token()).ok());
  WriteServer(next.IssueServer());
  EXPECT_TRUE(Call(Dial({}, next.certificate()), Ask("", ""), Token()).ok());
  EXPECT_EQ(Call(Dial(), Ask("", ""), Token()).error_code(), StatusCode::UNAVAILABLE) << "the old certificate is gone";
  // Half of a pair, an expired certificate, a key that others may read.
  Write("server.pem", authority_.IssueServer().certificate);
  EXPECT_TRUE(Call(Dial({}, next.certificate()), Ask("", ""), Token()).ok());
  WriteServer(next.Issue({.alternative_names = {"IP:127.0.0.1"}, .ends_in_seconds = -60}));
  EXPECT_TRUE(Call(Dial({}, next.certificate()), Ask("", ""), Token()).ok());
  const IssuedCertificate good = authority_.IssueServer();
  Write("server.pem", good.certificate);
  Write("server.key", good.private_key, 0644);
  EXPECT_TRUE(Call(Dial({}, next.certificate()), Ask("", ""), Token()).ok());
  EXPECT_THAT(server_->log(), HasSubstr("new TLS files were refused"));
  EXPECT_FALSE(server_->application().Reload(server_->config()).ok()) << "a reload says so";
  WriteServer(good);
  EXPECT_TRUE(server_->application().Reload(server_->config()).ok());
  EXPECT_TRUE(Call(Dial(), Ask("", ""), Token()).ok());
}

TEST_F(CredentialsTest, AClientAuthorityThatIsReplacedIsNoLongerBelieved) {
  StartMutual();
  EXPECT_TRUE(Call(Dial(Planner()), Ask("acme", "ann")).ok());
  const TestAuthority next("Next client authority");
  Write("client_ca.pem", next.certificate());
  EXPECT_EQ(Call(Dial(Planner()), Ask("acme", "ann")).error_code(), StatusCode::UNAVAILABLE);
  const auto renewed = next.Issue({.alternative_names = {"URI:spiffe://example.org/planner"}});
  EXPECT_TRUE(Call(Dial(renewed), Ask("acme", "ann")).ok());
}

TEST_F(CredentialsTest, DoesNotStartWithFilesThatAreUnsafe) {
  const auto start = [&] {
    config::v1::Config config = *services::config::Load({.listen = "127.0.0.1:0", .data_dir = Path("data")});
    AddTls(config, /*clients=*/false);
    AddTokens(config);
    testing::MemorySink sink;
    observability::Logger logger(sink, Clock::Real(), observability::LogLevel::kInfo, observability::LogFormat::kJson);
    config.mutable_server()->set_metrics_listen("");
    const auto started = services::app::Application::Start(config, {logger, Clock::Real(), IdSource::Real()});
    if (started.ok()) {
      EXPECT_TRUE((*started)->Stop().ok());
    }
    return std::string(started.status().message());
  };
  EXPECT_EQ(start(), "");
  const IssuedCertificate good = authority_.IssueServer();
  Write("server.key", good.private_key);
  EXPECT_THAT(start(), HasSubstr("is not the key of the certificate in"));
  WriteServer(good);
  Write("server.key", good.private_key, 0604);
  EXPECT_THAT(start(), HasSubstr("chmod o="));
  WriteServer(authority_.Issue({.common_name = "localhost", .ends_in_seconds = -60}));
  EXPECT_THAT(start(), HasSubstr("the certificate has expired"));
  WriteServer(authority_.Issue({.common_name = "localhost", .begins_in_seconds = 600}));
  EXPECT_THAT(start(), HasSubstr("not valid yet"));
  Write("server.pem", "nothing");
  EXPECT_THAT(start(), HasSubstr("holds no PEM certificate"));
  std::filesystem::remove(Path("server.pem"));
  EXPECT_THAT(start(), HasSubstr("No such file"));
}

TEST_F(CredentialsTest, AReloadCannotTakeTheCredentialsAway) {
  StartTokens();
  ExpectNoReloadWithoutCredentials();
  EXPECT_EQ(ErrorInfoOf(Call(Dial(), Ask("acme", "ann"))).reason(), "UNAUTHORIZED");
  StartMutual();
  ExpectNoReloadWithoutCredentials();
  EXPECT_FALSE(Call(Dial(), Ask("acme", "ann")).ok()) << "without a certificate";
}

// Layer 5 masks text that looks like a credential; explanations of how to present one must not be masked.
TEST_F(CredentialsTest, TheErrorsThatSayHowToAuthenticateArriveWhole) {
  StartTokens();
  EXPECT_EQ(Call(Dial(), Ask("acme", "ann")).error_message(),
            "a bearer token is needed, as \"Bearer <token>\" in the metadata authorization");
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Basic YTpi");
  v1::ExecuteResponse response;
  EXPECT_EQ(v1::ToolService::NewStub(Dial())->Execute(&context, Ask("acme", "ann"), &response).error_message(),
            "the metadata authorization must be one \"Bearer <token>\"");
}

// There is no audit entry for the refusal of an RPC that only reads, or of an unknown caller.
TEST_F(CredentialsTest, ARefusedRpcIsInTheOperatorsLog) {
  server_ = std::make_unique<TestServer>([this](config::v1::Config& config) { AddTokens(config); });
  const auto list = [this](const std::string& token) {
    grpc::ClientContext context;
    context.AddMetadata("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
    v1::SearchEntriesRequest request;
    request.mutable_caller()->set_workspace_id("acme");
    request.mutable_caller()->set_user_id("ann");
    v1::SearchEntriesResponse response;
    return server_->audit().SearchEntries(&context, request, &response).ok();
  };
  EXPECT_TRUE(list(Token()));
  EXPECT_THAT(server_->log(), Not(HasSubstr("rpc refused")));
  EXPECT_FALSE(list("x.y.z"));
  EXPECT_THAT(server_->log(),
              HasSubstr("\"method\":\"toolgate.v1.AuditService/SearchEntries\",\"code\":\"UNAUTHORIZED\","
                        "\"known\":false,\"peer\":"))
      << "the request is not read for a stranger, not even for its claim";
  EXPECT_THAT(server_->log(), HasSubstr("\"trace_id\":\"0af7651916cd43dd8448eb211c80319c\""));
  EXPECT_THAT(server_->log(), Not(HasSubstr("x.y.z")));
  EXPECT_FALSE(list(Token({{"roles", Json::array()}})));
  EXPECT_THAT(server_->log(), HasSubstr("\"code\":\"FORBIDDEN\",\"known\":true"));
}

// Without TLS, only the configuration requires callers to authenticate.
TEST_F(CredentialsTest, AReloadCannotTakeTheCredentialsOfAPlaintextListenerAway) {
  for (const std::string& listen : {std::string("127.0.0.1:0"), "unix:" + Path("s.sock")}) {
    server_ = std::make_unique<TestServer>([this, &listen](config::v1::Config& config) {
      config.mutable_server()->set_listen(listen);
      AddTokens(config);
    });
    ExpectNoReloadWithoutCredentials();
    server_->Refused(Ask("acme", "ann"), "UNAUTHORIZED");
  }
}

TEST_F(CredentialsTest, CredentialsThatCameWithAReloadStayToo) {
  server_ = std::make_unique<TestServer>();
  config::v1::Config config = server_->config();
  AddTokens(config);
  ASSERT_TRUE(server_->application().Reload(config).ok());
  ExpectNoReloadWithoutCredentials();
  server_->Refused(Ask("acme", "ann"), "UNAUTHORIZED");
}

TEST_F(CredentialsTest, AReloadThatIsRefusedLeavesTheCertificate) {
  StartTokens();
  WriteServer(authority_.IssueServer());
  config::v1::Config config = server_->config();
  config.mutable_confirmation()->add_require_for_tools("no_such_tool");
  EXPECT_FALSE(server_->application().Reload(config).ok());
  EXPECT_THAT(server_->log(), Not(HasSubstr("new TLS files")));
  EXPECT_TRUE(server_->application().Reload(server_->config()).ok());
  EXPECT_THAT(server_->log(), HasSubstr("new TLS files are in use"));
}

// The newest protocol version that a client with at most `version` agrees on; 0 for none.
int Handshake(int port, int version) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0");
  SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
  SSL_CTX_set_max_proto_version(context, version);
  SSL* const ssl = SSL_new(context);
  constexpr unsigned char kH2[] = {2, 'h', '2'};
  SSL_set_alpn_protos(ssl, kH2, sizeof(kH2));
  SSL_set_fd(ssl, fd);
  const int agreed = SSL_connect(ssl) == 1 ? SSL_version(ssl) : 0;
  SSL_free(ssl);
  SSL_CTX_free(context);
  close(fd);
  return agreed;
}

TEST_F(CredentialsTest, SpeaksTls12AndTls13Only) {
  StartTokens();
  const std::string address = server_->application().address();
  const int port = std::stoi(address.substr(address.rfind(':') + 1));
  EXPECT_EQ(Handshake(port, TLS1_3_VERSION), TLS1_3_VERSION);
  EXPECT_EQ(Handshake(port, TLS1_2_VERSION), TLS1_2_VERSION);
  EXPECT_EQ(Handshake(port, TLS1_1_VERSION), 0);
  EXPECT_EQ(Handshake(port, TLS1_VERSION), 0);
}

TEST_F(CredentialsTest, TheCapOnConnectionsHoldsForTls) {
  server_ = std::make_unique<TestServer>([this](config::v1::Config& config) {
    AddTls(config, /*clients=*/false);
    AddTokens(config);
    config.mutable_server()->set_max_connections(1);
  });
  const auto first = Dial();
  EXPECT_TRUE(Call(first, Ask("", ""), Token()).ok());
  EXPECT_EQ(Call(Dial(), Ask("", ""), Token()).error_code(), StatusCode::UNAVAILABLE);
  EXPECT_TRUE(Call(first, Ask("", ""), Token()).ok());
}

TEST_F(CredentialsTest, HealthAloneIsServedInPlaintext) {
  server_ = std::make_unique<TestServer>([this](config::v1::Config& config) {
    AddTls(config, /*clients=*/true);
    AddServices(config);
    config.mutable_server()->set_health_listen("127.0.0.1:0");
  });
  const auto channel = grpc::CreateChannel(server_->application().health_address(), grpc::InsecureChannelCredentials());
  const auto health = grpc::health::v1::Health::NewStub(channel);
  for (const char* name : {"", "toolgate.v1.ToolService"}) {
    grpc::ClientContext context;
    grpc::health::v1::HealthCheckRequest request;
    request.set_service(name);
    grpc::health::v1::HealthCheckResponse response;
    ASSERT_TRUE(health->Check(&context, request, &response).ok());
    EXPECT_EQ(response.status(), grpc::health::v1::HealthCheckResponse::SERVING);
  }
  grpc::ClientContext compressed;
  compressed.set_compression_algorithm(GRPC_COMPRESS_GZIP);
  grpc::health::v1::HealthCheckRequest repetitive;
  repetitive.set_service(std::string(900, 'a'));
  grpc::health::v1::HealthCheckResponse none;
  EXPECT_EQ(health->Check(&compressed, repetitive, &none).error_message(), "Compression algorithm 'gzip' is disabled.");
  EXPECT_EQ(Call(channel, Ask("acme", "ann")).error_code(), StatusCode::UNIMPLEMENTED);
  grpc::ClientContext context;
  v1::SearchEntriesResponse response;
  EXPECT_EQ(v1::AuditService::NewStub(channel)->SearchEntries(&context, {}, &response).error_code(),
            StatusCode::UNIMPLEMENTED);
}

TEST_F(CredentialsTest, RolesBindArgumentsRestrictThemAndApprove) {
  server_ = std::make_unique<TestServer>([this](config::v1::Config& config) {
    AddTls(config, /*clients=*/false);
    AddTokens(config);
    auto& role = (*config.mutable_identity()->mutable_roles())["worker"];
    role.add_permissions("task:*");
    role.add_permissions("block:*");
    role.add_auto_approve("delete_block");
    auto& policy = (*role.mutable_arguments())["create_task"];
    policy.set_schema(R"({"properties": {"priority": {"enum": ["low", "medium"]}}})");
    (*policy.mutable_bind())["assignedTo"] = "claims.employee";
    auto& window = *(*role.mutable_limits())["create_task"].add_windows();
    window.set_audience("any");
    window.set_max_calls(2);
    window.mutable_window()->set_seconds(3600);
  });
  const auto channel = Dial();
  const std::string token = Token({{"roles", {"worker"}}, {"employee", "e-7"}});
  const auto create = [&](const Json& arguments, v1::ExecuteResponse* answer = nullptr) {
    v1::ExecuteRequest request;
    request.set_tool_id("create_task");
    request.set_arguments_json(DumpJson(arguments));
    return Call(channel, request, token, answer);
  };
  v1::ExecuteResponse created;
  ASSERT_TRUE(create({{"title", "t"}, {"priority", "low"}}, &created).ok());
  ASSERT_TRUE(created.result().success()) << created.DebugString();
  EXPECT_THAT(created.result().changes(0).after_json(), HasSubstr("e-7"));
  const grpc::Status chosen = create({{"title", "t"}, {"assignedTo", "bob"}});
  EXPECT_EQ(ErrorInfoOf(chosen).reason(), "FORBIDDEN");
  EXPECT_THAT(chosen.error_message(), HasSubstr("/assignedTo"));
  const grpc::Status urgent = create({{"title", "t"}, {"priority", "high"}});
  EXPECT_EQ(ErrorInfoOf(urgent).reason(), "FORBIDDEN");
  EXPECT_THAT(urgent.error_message(), HasSubstr("/priority"));
  EXPECT_TRUE(create({{"title", "t2"}}).ok());
  EXPECT_EQ(ErrorInfoOf(create({{"title", "t3"}})).reason(), "RATE_LIMITED");
  v1::ExecuteRequest remove;
  remove.set_tool_id("delete_block");
  remove.set_arguments_json(DumpJson(Json{{"blockId", created.result().affected_block_ids(0)}}));
  v1::ExecuteResponse removed;
  ASSERT_TRUE(Call(channel, remove, token, &removed).ok());
  EXPECT_TRUE(removed.has_result()) << "approved by the role";
  EXPECT_TRUE(removed.result().success());
}

}  // namespace
}  // namespace toolgate
