// Requests made to be read in two ways, to become large, or to hold what others need.
#include <arpa/inet.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/http_client.h"
#include "tests/support/memory_growth.h"
#include "tests/support/test_server.h"

namespace toolgate {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using testing::GrowthMib;
using ::testing::HasSubstr;
using testing::HttpConnection;
using testing::HttpReply;
using testing::TestServer;

// The request that hides in another one's body: "@" in the rows stands for its text, "#" for its length.
constexpr std::string_view kHidden = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

std::string Times(size_t count, std::string_view unit) {
  std::string text;
  text.reserve(count * unit.size());
  for (size_t i = 0; i < count; ++i) text += unit;
  return text;
}

class HostileHttpTest : public ::testing::Test {
 protected:
  // All that comes back until the connection ends.
  std::string EverythingFor(const std::string& bytes) {
    HttpConnection connection(server_.application().http_address());
    connection.Send(bytes);
    return ReadToEnd(connection.fd());
  }
  static std::string ReadToEnd(int fd) {
    std::string text;
    char piece[4096];
    for (ssize_t count = 0; (count = recv(fd, piece, sizeof piece, 0)) > 0;)
      text.append(piece, static_cast<size_t>(count));
    return text;
  }
  static size_t CountOf(std::string_view part, std::string_view text) {
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
    return count;
  }
  // A page of the library's may quote the version.
  static size_t AnswersIn(std::string_view text) {
    return CountOf("\r\nHTTP/1.1 ", absl::StrCat("\r\n", std::string(text)));
  }
  // The end of an RPC whose request is these bytes.
  ::grpc::Status Send(const std::string& method, const std::string& bytes) {
    ::grpc::GenericStub stub(server_.channel());
    const ::grpc::Slice slice(bytes);
    ::grpc::ByteBuffer request(&slice, 1);
    ::grpc::ByteBuffer response;
    ::grpc::ClientContext context;
    ::grpc::CompletionQueue queue;
    const auto call = stub.PrepareUnaryCall(&context, "/toolgate.v1." + method, request, &queue);
    call->StartCall();
    ::grpc::Status status;
    call->Finish(&response, &status, nullptr);
    void* tag = nullptr;
    bool ok = false;
    queue.Next(&tag, &ok);
    return status;
  }
  // NULs cannot stand in the rows' literals: "~" does for them.
  static std::string Filled(std::string_view row) {
    const std::string hidden(kHidden);
    std::string text = absl::StrReplaceAll(std::string(row), {{"#", absl::StrCat(hidden.size())}, {"@", hidden}});
    for (char& c : text) {
      if (c == '~') c = '\0';
    }
    return text;
  }

  TestServer server_{[](config::v1::Config& config) {
    config.mutable_http()->set_listen("127.0.0.1:0");
    config.mutable_http()->set_max_connections(100);
    config.mutable_server()->set_max_connections(100);
    config.mutable_http()->mutable_idle_timeout()->set_seconds(600);
    config.mutable_http()->mutable_head_timeout()->set_seconds(600);
  }};
};

TEST_F(HostileHttpTest, NoRequestHidesInAnother) {
  const struct {
    std::string name;
    std::string_view bytes;
  } rows[] = {
      {"a blank before the colon of a length", "POST /v1/undo HTTP/1.1\r\nHost: x\r\nContent-Length : #\r\n\r\n@"},
      {"a tab there", "POST /v1/undo HTTP/1.1\r\nHost: x\r\nContent-Length\t: #\r\n\r\n@"},
      {"a blank before the colon of chunks",
       "POST /v1/undo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n2b\r\n@\r\n0\r\n\r\n"},
      {"a blank before the name", "POST /v1/undo HTTP/1.1\r\n Content-Length: #\r\nHost: x\r\n\r\n@"},
      {"a folded length", "POST /v1/undo HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n #\r\n\r\n@"},
      {"a length folded by a tab", "POST /v1/undo HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n\t#\r\n\r\n@"},
      {"folded chunks",
       "POST /v1/undo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\n chunked\r\n\r\n2b\r\n@\r\n0\r\n\r\n"},
      {"a length in a folded line", "POST /v1/undo HTTP/1.1\r\nHost: x\r\nX-A: b\r\n Content-Length: #\r\n\r\n@"},
      {"a folded host", "GET /v1/tools HTTP/1.1\r\nHost:\r\n x\r\n\r\n@"},
      {"two lengths", "POST /v1/undo HTTP/1.1\r\nHost: x\r\nContent-Length: #\r\nContent-Length: 0\r\n\r\n@"},
      {"two lengths, the other way",
       "POST /v1/undo HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: #\r\n\r\n@"},
      {"the same length twice", "POST /v1/undo HTTP/1.1\r\nHost: x\r\nContent-Length: #\r\nContent-Length: #\r\n\r\n@"},
      {"two lengths in one", "POST /v1/undo HTTP/1.1\r\nHost: x\r\nContent-Length: #, #\r\n\r\n@"},
      {"a length and chunks",
       "POST /v1/undo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n@"},
      {"chunks and a length",
       "POST /v1/undo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n@"},
      {"chunks twice",
       "POST /v1/undo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: "
       "chunked\r\n\r\n0\r\n\r\n@"},
      {"another coding", "POST /v1/undo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n@"},
      {"chunks and nothing",
       "POST /v1/undo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n@"},
      {"no coding", "POST /v1/undo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\n\r\n@"},
      {"a coding that looks like chunks",
       "POST /v1/undo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n@"},
      {"chunks behind a control character",
       "POST /v1/undo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \x0b"
       "chunked\r\n\r\n0\r\n\r\n@"},
      {"a length with a sign", "POST /v1/undo HTTP/1.1\r\nHost: x\r\nContent-Length: +#\r\n\r\n@"},
      {"a negative length", "POST /v1/undo HTTP/1.1\r\nHost: x\r\nContent-Length: -#\r\n\r\n@"},
      {"a hexadecimal length", "POST /v1/undo HTTP/1.1\r\nHost: x\r\nContent-Length: 0x2b\r\n\r\n@"},
      {"a length and a blank within", "POST /v1/undo HTTP/1.1\r\nHost: x\r\nContent-Length: 4 3\r\n\r\n@"},
      {"an empty length", "POST /v1/undo HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n\r\n@"},
      {"a length of 20 digits", "POST /v1/undo HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n@"},
      {"a length that wraps to 43",
       "POST /v1/undo HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551659\r\n\r\n@"},
      {"a length behind a bare LF", "POST /v1/undo HTTP/1.1\r\nHost: x\r\nX-A: b\nContent-Length: #\r\n\r\n@"},
      {"bare LF alone", "POST /v1/undo HTTP/1.1\nHost: x\nContent-Length: #\n\n@"},
      {"a bare LF for the empty line", "GET /v1/tools HTTP/1.1\r\nHost: x\r\n\n@"},
      {"a length behind a bare CR", "POST /v1/undo HTTP/1.1\r\nHost: x\r\nX-A: b\rContent-Length: #\r\n\r\n@"},
      {"a NUL in a value", "POST /v1/undo HTTP/1.1\r\nHost: x~y\r\nContent-Length: #\r\n\r\n@"},
      {"a NUL in a length", "POST /v1/undo HTTP/1.1\r\nHost: x\r\nContent-Length: 0~#\r\n\r\n@"},
      {"a NUL in a name", "POST /v1/undo HTTP/1.1\r\nHost: x\r\nContent-Length~: #\r\n\r\n@"},
      {"a line that begins with a NUL", "POST /v1/undo HTTP/1.1\r\nHost: x\r\n~X: y\r\nContent-Length: #\r\n\r\n@"},
      {"a NUL in the target", "GET /healthz~/v1/tools HTTP/1.1\r\nHost: x\r\n\r\n@"},
      {"a version behind a NUL", "GET /healthz~HTTP/1.1 HTTP/1.1\r\nHost: x\r\n\r\n@"},
      {"a tab in the target", "GET /healthz\tx HTTP/1.1\r\nHost: x\r\n\r\n@"},
      {"two blanks before the target", "GET  /healthz HTTP/1.1\r\nHost: x\r\n\r\n@"},
      {"two blanks before the version", "GET /healthz  HTTP/1.1\r\nHost: x\r\n\r\n@"},
      {"a blank behind the version", "GET /healthz HTTP/1.1 \r\nHost: x\r\n\r\n@"},
      {"a blank in the target", "GET /healthz /x HTTP/1.1\r\nHost: x\r\n\r\n@"},
      {"no version", "GET /healthz\r\nHost: x\r\n\r\n@"},
      {"another version", "GET /healthz HTTP/3.7\r\nHost: x\r\n\r\n@"},
      {"a header without a colon", "GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length #\r\n\r\n@"},
      {"a header without a name", "GET /healthz HTTP/1.1\r\nHost: x\r\n: #\r\n\r\n@"},
      {"no host", "GET /healthz HTTP/1.1\r\nX-A: b\r\n\r\n@"},
      {"two hosts", "GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n@"},
  };
  for (const auto& row : rows) {
    const std::string answer = EverythingFor(Filled(row.bytes));
    EXPECT_EQ(CountOf("SERVING", answer), 0u) << row.name << ": " << answer;
    // The library sends the heads of some of its errors twice.
    EXPECT_EQ(AnswersIn(answer), CountOf("HTTP/1.1 4", answer) + CountOf("HTTP/1.1 5", answer))
        << row.name << ": " << answer;
    // The library ends some connections without a word.
    if (answer.empty()) continue;
    EXPECT_THAT(answer.substr(0, 12), AnyOf("HTTP/1.1 400", "HTTP/1.1 413", "HTTP/1.1 505")) << row.name;
  }
}

// The library is lenient with chunks; so nothing is read behind a body of them, whatever they say.
TEST_F(HostileHttpTest, NoRequestHidesBehindChunks) {
  constexpr char kHead[] =
      "POST /v1/undo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: "
      "chunked\r\n\r\n";
  const struct {
    std::string name;
    std::string_view body;
    bool good = false;
  } rows[] = {
      {"good chunks", "2\r\n{}\r\n0\r\n\r\n@", true},
      {"an extension", "2;a=b\r\n{}\r\n0\r\n\r\n@", true},
      {"an extension with a bare LF", "2;a\n{}\r\n0\r\n\r\n@", true},
      {"bare LF", "2\n{}\n0\n\n@", true},
      {"a trailer", "2\r\n{}\r\n0\r\nX-A: b\r\n\r\n@", true},
      {"a trailer that begins with a NUL", "2\r\n{}\r\n0\r\n~X: y\r\n\r\n@", true},
      {"a hexadecimal prefix", "0x2\r\n{}\r\n0\r\n\r\n@"},
      {"a sign", "-2\r\n{}\r\n0\r\n\r\n@"},
      {"a plus", "+2\r\n{}\r\n0\r\n\r\n@"},
      {"a blank before the size", " 2\r\n{}\r\n0\r\n\r\n@"},
      {"a blank behind the size", "2 \r\n{}\r\n0\r\n\r\n@"},
      {"a size beyond 64 bits", "10000000000000002\r\n{}\r\n0\r\n\r\n@"},
      {"no size", "\r\n{}\r\n0\r\n\r\n@"},
      {"no line end behind a chunk", "2\r\n{}0\r\n\r\n@"},
      {"more than the size", "2\r\n{}{}\r\n0\r\n\r\n@"},
      {"a NUL in a size", "2~\r\n{}\r\n0\r\n\r\n@"},
  };
  for (const auto& row : rows) {
    const std::string answer = EverythingFor(kHead + Filled(row.body));
    EXPECT_EQ(CountOf("SERVING", answer), 0u) << row.name << ": " << answer;
    EXPECT_EQ(AnswersIn(answer), 1u) << row.name << ": " << answer;
    EXPECT_TRUE(answer.starts_with(row.good ? "HTTP/1.1 200" : "HTTP/1.1 4")) << row.name << ": " << answer;
  }
}

TEST_F(HostileHttpTest, OrdinaryHeadsAreServedOneAfterAnother) {
  const std::string_view rows[] = {
      "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "\r\nGET /healthz HTTP/1.1\r\nHost:localhost\r\nX-Empty:\r\nX-Tab:\t a \t\r\nx-!#$%&'*+-.^_`|~: y\r\n\r\n",
      "GET /healthz?a=b+c&d&e=%20?&=& HTTP/1.1\r\nhost: localhost\r\nCookie: a=b; c=\"d\"; e\r\nX-U: \xC3\xA9\r\n\r\n",
      "POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
      "OPTIONS /v1/undo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
  };
  HttpConnection connection(server_.application().http_address());
  for (const std::string_view row : rows) {
    connection.Send(row);
    const HttpReply reply = connection.Read();
    EXPECT_THAT(reply.status, AnyOf(200, 204, 405)) << row << reply.body;
  }
  // A head in pieces, as long as it may be.
  std::string long_head = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";
  for (int i = 0; i < 150; ++i) absl::StrAppend(&long_head, "X-", i, ": ", std::string(60, 'x'), "\r\n");
  long_head += "\r\n";
  for (size_t at = 0; at < long_head.size(); at += 97) connection.Send(long_head.substr(at, 97));
  EXPECT_EQ(connection.Read().status, 200);
  connection.Send(std::string(rows[0]) + std::string(rows[0]));
  EXPECT_EQ(connection.Read().status, 200);
  EXPECT_EQ(connection.Read().status, 200);
}

TEST_F(HostileHttpTest, EncodedBodiesAreRefused) {
  const struct {
    std::string_view header;
    int status;
  } rows[] = {{"Content-Encoding: gzip\r\n", 415},
              {"Content-Encoding: identity\r\nContent-Encoding: br\r\n", 415},
              {"content-encoding: gzip, identity\r\n", 415},
              {"Content-Encoding: identity\r\n", 200},
              {"", 200}};
  for (const auto& row : rows) {
    HttpConnection connection(server_.application().http_address());
    connection.SendRequest("POST", "/v1/results:read",
                           R"({"continuation":"x","caller":{"workspace_id":"w","user_id":"ann"}})", row.header);
    EXPECT_EQ(connection.Read().status, row.status) << row.header;
  }
}

// 16 bodies of the first row took 2.6 GB.
TEST_F(HostileHttpTest, DenseBodiesBecomeNothing) {
  constexpr size_t kBytes = (size_t{4} << 20) - 200;
  const struct {
    std::string name;
    std::string value;
    std::string bound;
  } rows[] = {
      {"objects", "[" + Times(kBytes / 3, "{},") + "0]", "values"},
      {"lists", "[" + Times(kBytes / 3, "[],") + "0]", "values"},
      {"numbers", "[" + Times(kBytes / 2, "1,") + "0]", "values"},
      {"keys", "{" + Times(kBytes / 6, "\"\":{},") + "\"a\":0}", "keys"},
      {"levels", Times(kBytes, "["), "levels"},
      {"objects that are no JSON", Times(kBytes / 2, "{}"), "values"},
  };
  for (const auto& row : rows) {
    const std::string body = "{\"arguments\":{\"x\":" + row.value + "}}";
    const int64_t growth = GrowthMib([&] {
      std::vector<std::thread> clients;
      for (int i = 0; i < 8; ++i) {
        clients.emplace_back([&] {
          HttpConnection connection(server_.application().http_address());
          connection.SendRequest("POST", "/v1/tools/create_task:execute", body);
          const HttpReply reply = connection.Read();
          EXPECT_EQ(reply.status, 400) << row.name;
          EXPECT_THAT(reply.body, AllOf(HasSubstr(row.bound), HasSubstr(", at byte "))) << row.name;
        });
      }
      for (std::thread& client : clients) client.join();
    });
    EXPECT_LT(growth, 500) << row.name;
  }
}

// --- gRPC ---

std::string Field(int number, std::string_view bytes) {
  std::string text(1, static_cast<char>(number << 3 | 2));
  for (size_t rest = bytes.size();; rest >>= 7) {
    text += static_cast<char>((rest & 0x7F) | (rest > 0x7F ? 0x80 : 0));
    if (rest <= 0x7F) break;
  }
  return text + std::string(bytes);
}

TEST_F(HostileHttpTest, DenseMessagesBecomeNothing) {
  constexpr size_t kBytes = (size_t{4} << 20) - 200;
  const std::string empty_values = Field(6, Times(kBytes / 2, std::string("\x0A\x00", 2)));
  const struct {
    std::string name;
    std::string method;
    std::string bytes;
  } rows[] = {
      {"values of a Struct", "ToolService/Execute",
       Field(1, "create_task") + Field(3, Field(1, Field(1, "x") + Field(2, empty_values)))},
      {"keys of a Struct", "ToolService/Execute",
       Field(1, "create_task") + Field(3, Times(kBytes / 2, std::string("\x0A\x00", 2)))},
      {"unknown texts", "ToolService/Execute", Times(kBytes / 3, std::string("\xFA\x01\x00", 3))},
      {"unknown numbers", "ToolService/Undo", Times(kBytes / 3, std::string("\xF8\x01\x00", 3))},
      {"texts of a list", "ToolService/ListTools", Times(kBytes / 2, std::string("\x12\x00", 2))},
  };
  for (const auto& row : rows) {
    const int64_t growth = GrowthMib([&] {
      std::vector<std::thread> clients;
      for (int i = 0; i < 8; ++i) {
        clients.emplace_back([&] {
          ::grpc::Status status = Send(row.method, row.bytes);
          // On a slow machine all of them are there at once, and gRPC's memory quota asks some to come again.
          for (int more = 0; more < 50 && status.error_code() == ::grpc::StatusCode::RESOURCE_EXHAUSTED; ++more) {
            status = Send(row.method, row.bytes);
          }
          EXPECT_EQ(status.error_code(), ::grpc::StatusCode::INVALID_ARGUMENT) << row.name << status.error_message();
          EXPECT_THAT(status.error_message(), HasSubstr(", at byte ")) << row.name;
        });
      }
      for (std::thread& client : clients) client.join();
    });
    EXPECT_LT(growth, 500) << row.name;
  }
}

// --- Connections ---

// Of another client than 127.0.0.1.
int DialFrom(const std::string& source, const std::string& target) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, source.c_str(), &address.sin_addr);
  EXPECT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  address.sin_port = htons(static_cast<uint16_t>(std::atoi(target.c_str() + target.rfind(':') + 1)));
  EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return fd;
}

// Connections from four addresses, as many as the listener takes, each.
class Crowd {
 public:
  explicit Crowd(const std::string& target) {
    for (int i = 2; i <= 5; ++i) {
      for (int k = 0; k < 100; ++k) fds_.push_back(DialFrom(absl::StrCat("127.0.0.", i), target));
    }
  }
  ~Crowd() {
    for (const int fd : fds_) close(fd);
  }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

 private:
  std::vector<int> fds_;
};

TEST_F(HostileHttpTest, FourAddressesDoNotHoldAllConnectionsOfHttp) {
  const Crowd crowd(server_.application().http_address());
  // Connections are accepted in their order, so the crowd's have been.
  HttpConnection other(server_.application().http_address());
  other.SendRequest("GET", "/healthz");
  EXPECT_EQ(other.Read().status, 200);
}

TEST_F(HostileHttpTest, FourAddressesDoNotHoldAllConnectionsOfGrpc) {
  const Crowd crowd(server_.application().address());
  v1::ExecuteResponse response;
  ::grpc::ClientContext context;
  const auto stub = v1::ToolService::NewStub(server_.channel());
  EXPECT_TRUE(stub->Execute(&context, TestServer::Request("create_task", R"({"title":"x"})"), &response).ok());
}

}  // namespace
}  // namespace toolgate
