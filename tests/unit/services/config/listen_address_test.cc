#include "services/config/listen_address.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace toolgate::services::config {
namespace {

TEST(ListenAddressTest, ReadsAddresses) {
  struct Case {
    std::string_view text;
    std::string_view unix_path;
    std::string_view host;
    int port;
    bool local;
  };
  const Case cases[] = {
      {"127.0.0.1:50051", "", "127.0.0.1", 50051, true},
      {"127.8.9.1:0", "", "127.8.9.1", 0, true},
      {"localhost:80", "", "localhost", 80, true},
      {"[::1]:50051", "", "::1", 50051, true},
      {"unix:/run/toolgate.sock", "/run/toolgate.sock", "", 0, true},
      {"unix:///run/toolgate.sock", "/run/toolgate.sock", "", 0, true},
      {"0.0.0.0:50051", "", "0.0.0.0", 50051, false},
      {"[::]:65535", "", "::", 65535, false},
      {"[::ffff:127.0.0.1]:1", "", "::ffff:127.0.0.1", 1, false},
      {"10.0.0.7:1", "", "10.0.0.7", 1, false},
      {"toolgate.example.com:1", "", "toolgate.example.com", 1, false},
      // Names that only look like loopback.
      {"127.0.0.1.example.com:1", "", "127.0.0.1.example.com", 1, false},
      {"localhost.example.com:1", "", "localhost.example.com", 1, false},
      {"127.1:1", "", "127.1", 1, false},
  };
  for (const Case& test : cases) {
    const auto address = ParseListenAddress(test.text);
    ASSERT_TRUE(address.ok()) << test.text << ": " << address.status();
    EXPECT_EQ(address->unix_path, test.unix_path) << test.text;
    EXPECT_EQ(address->host, test.host) << test.text;
    EXPECT_EQ(address->port, test.port) << test.text;
    EXPECT_EQ(address->is_local(), test.local) << test.text;
  }
}

TEST(ListenAddressTest, RefusesWhatIsNoAddress) {
  for (const std::string_view text :
       {"", "localhost", "50051", ":50051", "a:", "a:-1", "a:65536", "a:1x", "a b:1", "::1:50051", "[::1]",
        "[::1:50051", "[]:1", "[x]:1", "unix:", "unix:relative", "unix://relative", "http://localhost:1", "a/b:1"}) {
    EXPECT_EQ(ParseListenAddress(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_EQ(ParseListenAddress("unix:/" + std::string(108, 'x')).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace toolgate::services::config
