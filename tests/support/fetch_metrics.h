// A client of the metrics listener.
#ifndef TOOLGATE_TESTS_SUPPORT_FETCH_METRICS_H_
#define TOOLGATE_TESTS_SUPPORT_FETCH_METRICS_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "absl/strings/numbers.h"
#include "gtest/gtest.h"

namespace toolgate::testing {

// The body of the metrics server's response.
inline std::string FetchMetrics(const std::string& address) {
  const size_t colon = address.rfind(':');
  sockaddr_in to{};
  to.sin_family = AF_INET;
  inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr);
  int port = 0;
  EXPECT_TRUE(absl::SimpleAtoi(address.substr(colon + 1), &port)) << address;
  to.sin_port = htons(static_cast<uint16_t>(port));
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  EXPECT_EQ(connect(connection, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0) << address;
  constexpr std::string_view kRequest = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  EXPECT_EQ(send(connection, kRequest.data(), kRequest.size(), 0), static_cast<ssize_t>(kRequest.size()));
  std::string text;
  char buffer[65536];
  for (ssize_t count; (count = recv(connection, buffer, sizeof buffer, 0)) > 0;) text.append(buffer, count);
  close(connection);
  return text;
}

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_FETCH_METRICS_H_
