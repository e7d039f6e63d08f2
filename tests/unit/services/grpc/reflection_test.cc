#include "services/grpc/reflection.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/descriptor.pb.h"
#include "grpc/reflection/v1/reflection.grpc.pb.h"
#include "grpc/reflection/v1alpha/reflection.grpc.pb.h"
#include "gtest/gtest.h"
#include "tests/unit/services/grpc/test_service.h"

namespace toolgate::services::grpc {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

struct V1 {
  using Stub = ::grpc::reflection::v1::ServerReflection;
  using Request = ::grpc::reflection::v1::ServerReflectionRequest;
  using Response = ::grpc::reflection::v1::ServerReflectionResponse;
};
struct V1Alpha {
  using Stub = ::grpc::reflection::v1alpha::ServerReflection;
  using Request = ::grpc::reflection::v1alpha::ServerReflectionRequest;
  using Response = ::grpc::reflection::v1alpha::ServerReflectionResponse;
};

template <typename Version>
class ReflectionTest : public ::testing::Test {
 protected:
  using Request = typename Version::Request;
  using Response = typename Version::Response;

  ReflectionTest()
      : stub_(Version::Stub::NewStub(server_.Connect())), stream_(stub_->ServerReflectionInfo(&context_)) {}
  ~ReflectionTest() override {
    stream_->WritesDone();
    EXPECT_TRUE(stream_->Finish().ok());
  }

  Response Ask(const Request& request) {
    Response response;
    EXPECT_TRUE(stream_->Write(request));
    EXPECT_TRUE(stream_->Read(&response));
    EXPECT_EQ(response.original_request().SerializeAsString(), request.SerializeAsString());
    return response;
  }

  static std::vector<std::string> FileNames(const Response& response) {
    std::vector<std::string> names;
    for (const std::string& bytes : response.file_descriptor_response().file_descriptor_proto()) {
      google::protobuf::FileDescriptorProto file;
      EXPECT_TRUE(file.ParseFromString(bytes));
      names.push_back(file.name());
    }
    return names;
  }

  TestServer server_;
  ::grpc::ClientContext context_;
  std::unique_ptr<typename Version::Stub::Stub> stub_;
  std::unique_ptr<::grpc::ClientReaderWriter<Request, Response>> stream_;
};

using Versions = ::testing::Types<V1, V1Alpha>;
TYPED_TEST_SUITE(ReflectionTest, Versions);

TYPED_TEST(ReflectionTest, ListsExactlyTheRegisteredServices) {
  typename TypeParam::Request request;
  request.set_host("here");
  request.set_list_services("*");
  const auto response = this->Ask(request);
  EXPECT_EQ(response.valid_host(), "here");
  std::vector<std::string> names;
  for (const auto& service : response.list_services_response().service()) names.push_back(service.name());
  EXPECT_THAT(names,
              ElementsAre("grpc.channelz.v1.Channelz", "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection",
                          "grpc.reflection.v1alpha.ServerReflection", "toolgate.v1.ToolService"));
}

TYPED_TEST(ReflectionTest, GivesAFileWithAllThatItImportsEachOnce) {
  for (const std::string symbol : {"toolgate.v1.ToolService", "toolgate.v1.ToolService.Execute",
                                   "toolgate.v1.BlockChange.Kind", "toolgate.v1.ExecuteRequest.tool_id"}) {
    typename TypeParam::Request request;
    request.set_file_containing_symbol(symbol);
    const auto names = this->FileNames(this->Ask(request));
    ASSERT_FALSE(names.empty()) << symbol;
    EXPECT_EQ(names[0], "toolgate/v1/tool_service.proto");
    EXPECT_THAT(names, Contains("toolgate/v1/caller.proto"));
    EXPECT_THAT(names, Contains("google/protobuf/struct.proto"));
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  }
}

TYPED_TEST(ReflectionTest, FindsFilesByName) {
  for (const std::string name : {"toolgate/v1/tool_error.proto", "google/rpc/error_details.proto"}) {
    typename TypeParam::Request request;
    request.set_file_by_filename(name);
    EXPECT_THAT(this->FileNames(this->Ask(request)), Contains(name));
  }
}

TYPED_TEST(ReflectionTest, HidesFilesThatNoServiceNeeds) {
  typename TypeParam::Request by_name;
  by_name.set_file_by_filename("toolgate/internal/v1/error.proto");
  EXPECT_EQ(this->Ask(by_name).error_response().error_code(), ::grpc::StatusCode::NOT_FOUND);
  typename TypeParam::Request by_symbol;
  by_symbol.set_file_containing_symbol("toolgate.config.v1.Config");
  EXPECT_EQ(this->Ask(by_symbol).error_response().error_code(), ::grpc::StatusCode::NOT_FOUND);
}

TYPED_TEST(ReflectionTest, SaysWhatItDoesNotKnowAndGoesOn) {
  typename TypeParam::Request file;
  file.set_file_by_filename("no/such.proto");
  EXPECT_EQ(this->Ask(file).error_response().error_code(), ::grpc::StatusCode::NOT_FOUND);
  typename TypeParam::Request symbol;
  symbol.set_file_containing_symbol("no.such.Symbol");
  EXPECT_EQ(this->Ask(symbol).error_response().error_code(), ::grpc::StatusCode::NOT_FOUND);
  typename TypeParam::Request extension;
  extension.mutable_file_containing_extension()->set_containing_type("toolgate.v1.Tool");
  extension.mutable_file_containing_extension()->set_extension_number(7);
  EXPECT_EQ(this->Ask(extension).error_response().error_code(), ::grpc::StatusCode::NOT_FOUND);
  typename TypeParam::Request type;
  type.set_all_extension_numbers_of_type("no.such.Type");
  EXPECT_EQ(this->Ask(type).error_response().error_code(), ::grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(this->Ask({}).error_response().error_code(), ::grpc::StatusCode::INVALID_ARGUMENT);
}

TYPED_TEST(ReflectionTest, ATypeWithoutExtensionsHasNoNumbers) {
  typename TypeParam::Request request;
  request.set_all_extension_numbers_of_type("toolgate.v1.Tool");
  const auto response = this->Ask(request);
  ASSERT_TRUE(response.has_all_extension_numbers_response());
  EXPECT_EQ(response.all_extension_numbers_response().base_type_name(), "toolgate.v1.Tool");
  EXPECT_EQ(response.all_extension_numbers_response().extension_number_size(), 0);
}

TEST(ReflectionServiceTest, IsAbsentWhenTurnedOff) {
  auto config = TestConfig();
  config.set_reflection(false);
  TestServer server(config);
  ::grpc::ClientContext context;
  const auto stream = V1::Stub::NewStub(server.Connect())->ServerReflectionInfo(&context);
  V1::Response response;
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), ::grpc::StatusCode::UNIMPLEMENTED);
}

TEST(ReflectionServiceTest, AnOpenStreamDoesNotHoldUpADrain) {
  TestServer server;
  ::grpc::ClientContext context;
  const auto stub = V1::Stub::NewStub(server.Connect());
  const auto stream = stub->ServerReflectionInfo(&context);
  V1::Request request;
  request.set_list_services("");
  V1::Response response;
  ASSERT_TRUE(stream->Write(request));
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_TRUE(server.server->Shutdown(absl::InfiniteDuration()).ok());
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), ::grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace toolgate::services::grpc
