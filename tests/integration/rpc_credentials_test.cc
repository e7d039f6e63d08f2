// Every RPC checks credentials first, and the permissions of its row right after them.
#include <grpcpp/generic/generic_stub.h>

#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "grpc/reflection/v1/reflection.grpc.pb.h"
#include "gtest/gtest.h"
#include "services/api/rpc_table.h"
#include "tests/support/test_server.h"
#include "tests/support/token_forge.h"

namespace toolgate {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::MethodDescriptor;
using google::protobuf::ServiceDescriptor;
using grpc::StatusCode;
using services::api::kRpcTable;
using services::api::Rpc;
using services::api::RpcRow;
using testing::ErrorInfoOf;
using ::testing::HasSubstr;
using testing::MakeJwt;
using testing::SigningKey;
using testing::TempDir;
using testing::TestServer;

std::string PathOf(const RpcRow& row) {
  return absl::StrCat("/", std::string(row.service), "/", std::string(row.method));
}

const MethodDescriptor* DescriptorOf(const RpcRow& row) {
  return DescriptorPool::generated_pool()->FindMethodByName(
      absl::StrCat(std::string(row.service), ".", std::string(row.method)));
}

std::unique_ptr<Message> RequestOf(const RpcRow& row) {
  const Descriptor* type = DescriptorOf(row)->input_type();
  return std::unique_ptr<Message>(google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

void FillField(Message& message, const FieldDescriptor& field, int depth);

// A well-formed message with a wrong value in each field: control characters, negative numbers, unknown enumerators.
void FillWrong(Message& message, int depth) {
  if (depth == 0) return;
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    if (!field.is_map()) FillField(message, field, depth);
  }
}

void FillField(Message& message, const FieldDescriptor& field, int depth) {
  const auto& reflection = *message.GetReflection();
  const bool many = field.is_repeated();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      many ? reflection.AddString(&message, &field, "\x01/..\x7f") : reflection.SetString(&message, &field, "\x01/..");
      break;
    case FieldDescriptor::CPPTYPE_INT32:
      if (!many) reflection.SetInt32(&message, &field, -7);
      break;
    case FieldDescriptor::CPPTYPE_INT64:
      if (!many) reflection.SetInt64(&message, &field, std::numeric_limits<int64_t>::min());
      break;
    case FieldDescriptor::CPPTYPE_ENUM:
      many ? reflection.AddEnumValue(&message, &field, 99) : reflection.SetEnumValue(&message, &field, 99);
      break;
    case FieldDescriptor::CPPTYPE_MESSAGE:
      FillWrong(many ? *reflection.AddMessage(&message, &field) : *reflection.MutableMessage(&message, &field),
                depth - 1);
      break;
    default:
      break;
  }
}

struct Payload {
  std::string name;
  std::optional<std::string> bytes;  // None: the call ends without a message.
};

std::vector<Payload> PayloadsFor(const RpcRow& row) {
  const std::unique_ptr<Message> wrong = RequestOf(row);
  FillWrong(*wrong, 4);
  return {{"no message", std::nullopt},
          {"bytes that are no message", std::string("\xff\xff\xff\xff")},
          {"three megabytes of them", std::string(3 << 20, '\xff')},
          {"a message with every field wrong", wrong->SerializeAsString()}};
}

// Tokens of one issuer, on a plaintext listener.
class RpcCredentialsTest : public ::testing::Test {
 protected:
  RpcCredentialsTest()
      : server_([this](config::v1::Config& config) {
          std::ofstream(dir_.path() + "/keys.json") << DumpJson(Json{{"keys", {key_.Jwk()}}});
          config::v1::Jwt& jwt = *config.mutable_identity()->mutable_jwt();
          jwt.set_issuer("issuer");
          jwt.add_audiences("toolgate");
          jwt.set_jwks_file(dir_.path() + "/keys.json");
        }),
        stub_(server_.channel()) {}

  std::string Token(const SigningKey& key, const Json& changes = Json::object()) const {
    Json claims{{"iss", "issuer"},     {"aud", "toolgate"}, {"exp", absl::ToUnixSeconds(absl::Now()) + 600},
                {"workspace", "acme"}, {"sub", "ann"},      {"roles", Json::array()}};
    for (const auto& [name, value] : changes.items()) claims[name] = value;
    return MakeJwt(key, "ES256", Json::object(), claims);
  }
  std::string Good() const { return "Bearer " + Token(key_); }

  // Values of the metadata authorization, all of them invalid.
  std::vector<std::string> BadAuthorizations() const {
    return {"",
            "Basic YW5uOmFubg==",
            "Bearer x.y.z",
            "Bearer " + Token(SigningKey::Ec("P-256")),
            "Bearer " + Token(key_, {{"aud", "other"}}),
            "Bearer " + Token(key_, {{"exp", 1}})};
  }

  // All kinds of RPC are the same on the wire. `half_close`: the client announces that no further message follows.
  grpc::Status Call(const std::string& path, const std::string& authorization, const std::optional<std::string>& bytes,
                    bool half_close = true) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    if (!authorization.empty()) context.AddMetadata("authorization", authorization);
    grpc::CompletionQueue queue;
    const auto stream = stub_.PrepareCall(&context, path, &queue);
    stream->StartCall(nullptr);
    Await(queue);
    if (bytes.has_value()) {
      const grpc::Slice slice(*bytes);
      stream->Write(grpc::ByteBuffer(&slice, 1), nullptr);
      Await(queue);
    }
    if (half_close) {
      stream->WritesDone(nullptr);
      Await(queue);
    }
    grpc::ByteBuffer message;
    do {
      stream->Read(&message, nullptr);
    } while (Await(queue));
    grpc::Status status;
    stream->Finish(&status, nullptr);
    Await(queue);
    return status;
  }

  static bool Await(grpc::CompletionQueue& queue) {
    void* tag = nullptr;
    bool ok = false;
    EXPECT_TRUE(queue.Next(&tag, &ok));
    return ok;
  }

  const SigningKey key_ = SigningKey::Ec("P-256");
  TempDir dir_;
  TestServer server_;
  grpc::GenericStub stub_;
};

TEST_F(RpcCredentialsTest, WithoutGoodOnesNothingElseOfARequestIsJudged) {
  for (const RpcRow& row : kRpcTable) {
    for (const std::string& authorization : BadAuthorizations()) {
      std::set<std::string> messages;
      for (const Payload& payload : PayloadsFor(row)) {
        SCOPED_TRACE(absl::StrCat(std::string(row.method), " with ", payload.name, ", \"", authorization, "\""));
        const grpc::Status status = Call(PathOf(row), authorization, payload.bytes);
        ASSERT_EQ(status.error_code(), StatusCode::UNAUTHENTICATED) << status.error_message();
        EXPECT_EQ(ErrorInfoOf(status).reason(), "UNAUTHORIZED");
        messages.insert(status.error_message());
      }
      EXPECT_EQ(messages.size(), 1U) << row.method << " tells requests apart: " << ::testing::PrintToString(messages);
    }
  }
}

// Ensures that the test above sends messages that are indeed refused.
TEST_F(RpcCredentialsTest, WithGoodOnesBytesThatAreNoMessageAreTheCallersFault) {
  for (const RpcRow& row : kRpcTable) {
    SCOPED_TRACE(row.method);
    for (const Payload& payload : PayloadsFor(row)) {
      const grpc::Status status = Call(PathOf(row), Good(), payload.bytes);
      EXPECT_NE(status.error_code(), StatusCode::UNAUTHENTICATED) << payload.name;
      if (payload.name == "no message" && row.type == "bidi_stream") {
        EXPECT_TRUE(status.ok()) << "a stream may be empty; " << status.error_message();
      } else if (payload.name != "a message with every field wrong") {
        EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT) << payload.name;
        EXPECT_EQ(status.error_message(),
                  absl::StrCat("the message is not a well-formed ", DescriptorOf(row)->input_type()->full_name(),
                               "; a text that is not UTF-8 makes it so"));
      }
    }
  }
}

TEST_F(RpcCredentialsTest, AnImportIsRefusedBeforeItsFirstMessage) {
  const RpcRow& import = services::api::RowOf(Rpc::kImportBlocks);
  const grpc::Status status = Call(PathOf(import), "", std::nullopt, /*half_close=*/false);
  EXPECT_EQ(status.error_code(), StatusCode::UNAUTHENTICATED) << status.error_message();
}

TEST_F(RpcCredentialsTest, AMethodThatNobodyServesIsToldSoToKnownCallersOnly) {
  for (const std::string path : {"/toolgate.v1.NoService/Chat", "/toolgate.v1.ToolService/Nothing", "/a/b"}) {
    for (const std::string& authorization : BadAuthorizations()) {
      const grpc::Status stranger = Call(path, authorization, "\xff");
      EXPECT_EQ(stranger.error_code(), StatusCode::UNAUTHENTICATED) << path << stranger.error_message();
      EXPECT_EQ(ErrorInfoOf(stranger).reason(), "UNAUTHORIZED");
    }
    const grpc::Status known = Call(path, Good(), "\xff");
    EXPECT_EQ(known.error_code(), StatusCode::UNIMPLEMENTED) << path;
    EXPECT_EQ(known.error_message(), "this service does not serve " + path);
  }
}

TEST_F(RpcCredentialsTest, ACallerWithoutPermissionsIsToldTheFirstOfTheRow) {
  for (const RpcRow& row : kRpcTable) {
    SCOPED_TRACE(row.method);
    const grpc::Status status = Call(PathOf(row), Good(), RequestOf(row)->SerializeAsString());
    if (row.permissions.names().empty()) {
      EXPECT_NE(status.error_code(), StatusCode::UNAUTHENTICATED);
      if (!row.permissions.of_its_tool()) {
        // A request that names nothing finds no confirmation to wait for.
        EXPECT_TRUE(status.ok() || status.error_code() == StatusCode::NOT_FOUND) << status.error_message();
      }
    } else {
      EXPECT_EQ(status.error_code(), StatusCode::PERMISSION_DENIED);
      EXPECT_THAT(status.error_message(), HasSubstr(std::string(row.permissions.names().front())));
    }
  }
}

// The refusal of a stranger's tool call is audited and counted by the pipeline, like any refusal, but without its
// request.
TEST_F(RpcCredentialsTest, TheRefusalOfAToolCallSaysWhichStepRefused) {
  v1::ExecuteResponse response;
  grpc::ClientContext context;
  const grpc::Status status = server_.tools().Execute(&context, TestServer::Request("list_tasks", "{}"), &response);
  EXPECT_EQ(ErrorInfoOf(status).metadata().at("layer"), "authenticate");
}

std::string TypeOf(const MethodDescriptor& method) {
  if (method.client_streaming()) return method.server_streaming() ? "bidi_stream" : "client_stream";
  return method.server_streaming() ? "server_stream" : "unary";
}

// Our services, as listed by a running server.
std::vector<const ServiceDescriptor*> ServedServices(TestServer& server) {
  const auto stub = grpc::reflection::v1::ServerReflection::NewStub(server.channel());
  grpc::ClientContext context;
  const auto stream = stub->ServerReflectionInfo(&context);
  grpc::reflection::v1::ServerReflectionRequest request;
  request.set_list_services("*");
  stream->Write(request);
  stream->WritesDone();
  grpc::reflection::v1::ServerReflectionResponse response;
  EXPECT_TRUE(stream->Read(&response));
  std::vector<const ServiceDescriptor*> services;
  for (const auto& service : response.list_services_response().service()) {
    if (service.name().starts_with("toolgate.")) {
      services.push_back(DescriptorPool::generated_pool()->FindServiceByName(service.name()));
    }
  }
  return services;
}

TEST(RpcTableTest, HasARowForEachMethodOfTheServedServicesAndNoOther) {
  TestServer server;
  std::set<std::string> served, listed;
  for (const ServiceDescriptor* service : ServedServices(server)) {
    for (int i = 0; i < service->method_count(); ++i) {
      served.insert(absl::StrCat(service->method(i)->full_name(), " ", TypeOf(*service->method(i))));
    }
  }
  for (const RpcRow& row : kRpcTable) {
    listed.insert(absl::StrCat(std::string(row.service), ".", std::string(row.method), " ", std::string(row.type)));
  }
  EXPECT_FALSE(served.empty());
  EXPECT_EQ(listed, served);
  EXPECT_EQ(listed.size(), kRpcTable.size());
}

}  // namespace
}  // namespace toolgate
