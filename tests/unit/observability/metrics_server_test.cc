#include "observability/metrics_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "observability/metrics.h"

namespace toolgate::observability {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::shared_ptr<prometheus::Collectable> SomeMetrics() {
  MetricsOptions options;
  options.version = "1.2.3";
  return Metrics(options).collectable();
}

std::string Get(int port, const std::string& path) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    close(fd);
    return "not connected";
  }
  const std::string request = absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  std::string answer;
  if (write(fd, request.data(), request.size()) == static_cast<ssize_t>(request.size())) {
    char buffer[4096];
    for (ssize_t got; (got = read(fd, buffer, sizeof(buffer))) > 0;) answer.append(buffer, static_cast<size_t>(got));
  }
  close(fd);
  return answer;
}

TEST(MetricsServerTest, ServesOnAFreePortAndTellsWhich) {
  const auto server = MetricsServer::Start("127.0.0.1:0", SomeMetrics());
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_GT((*server)->port(), 0);
  EXPECT_EQ((*server)->address(), absl::StrCat("127.0.0.1:", (*server)->port()));
  const std::string answer = Get((*server)->port(), "/metrics");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, HasSubstr("toolgate_build_info{version=\"1.2.3\",commit=\"\"} 1\n"));
  EXPECT_THAT(Get((*server)->port(), "/etc/passwd"), StartsWith("HTTP/1.1 404"));
}

TEST(MetricsServerTest, ResolvesHostNames) {
  const auto server = MetricsServer::Start("localhost:0", SomeMetrics());
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_GT((*server)->port(), 0);
}

TEST(MetricsServerTest, SaysThatItHasNoIpv6) {
  EXPECT_THAT(std::string(MetricsServer::Start("[::1]:0", SomeMetrics()).status().message()),
              HasSubstr("served over IPv4 only"));
}

TEST(MetricsServerTest, APortInUseIsNamed) {
  const auto first = MetricsServer::Start("127.0.0.1:0", SomeMetrics());
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = MetricsServer::Start((*first)->address(), SomeMetrics());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()),
              HasSubstr(absl::StrCat("metrics address ", (*first)->address(), " is in use")));
}

TEST(MetricsServerTest, AnAddressOfAnotherMachineIsRefused) {
  const auto server = MetricsServer::Start("192.0.2.1:0", SomeMetrics());
  ASSERT_FALSE(server.ok());
  EXPECT_EQ(server.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(server.status().message()), HasSubstr("is not an address of this machine"));
}

TEST(MetricsServerTest, WhatIsNoAddressIsRefused) {
  for (const std::string_view address :
       {"", "127.0.0.1", "127.0.0.1:", ":9464", "127.0.0.1:70000", "127.0.0.1:-1", "127.0.0.1:http", "::1:80"}) {
    EXPECT_EQ(MetricsServer::Start(address, SomeMetrics()).status().code(), absl::StatusCode::kInvalidArgument)
        << address;
  }
}

}  // namespace
}  // namespace toolgate::observability
