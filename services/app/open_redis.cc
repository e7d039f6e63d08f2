#include "services/app/open_redis.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "common/api_key.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "services/config/listen_address.h"

namespace toolgate::services::app {

absl::StatusOr<std::unique_ptr<redis::Client>> OpenRedis(const toolgate::config::v1::Redis& settings) {
  ASSIGN_OR_RETURN(const config::ListenAddress address, config::ParseListenAddress(settings.address()));
  redis::Client::Options options;
  options.target.host = address.host;
  options.target.port = static_cast<uint16_t>(address.port);
  options.target.unix_path = address.unix_path;
  options.uses_tls = settings.tls().enabled();
  options.tls = {settings.tls().root_certificate_file(), settings.tls().certificate_file(),
                 settings.tls().private_key_file()};
  options.user = settings.user();
  if (!settings.password_file().empty()) {
    const auto key = std::make_shared<const ApiKey>(settings.password_file(), "");
    options.read_password = [key] { return key->Read(); };
  }
  options.timeout = FromProtoDuration(settings.timeout());
  options.max_idle = static_cast<size_t>(settings.max_idle_connections());
  return redis::Client::Create(std::move(options));
}

}  // namespace toolgate::services::app
