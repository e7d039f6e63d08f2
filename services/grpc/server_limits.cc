#include "services/grpc/server_limits.h"

#include <grpc/compression.h>
#include <grpcpp/resource_quota.h>

#include "absl/strings/str_cat.h"

namespace toolgate::services::grpc {
namespace {

// gRPC 1.51 on this platform has public denial-of-service advisories of 2023 without a fix. The values below limit what
// one client can make the server hold or do; see SECURITY.md.

// Time to finish the HTTP/2 handshake; slower clients are dropped.
constexpr int kHandshakeTimeoutMs = 10'000;
// Silent peers are asked for a sign of life and dropped without it, so that they do not hold a connection's place.
constexpr int kKeepaliveTimeMs = 60'000;
constexpr int kKeepaliveTimeoutMs = 20'000;
// A connection without calls is given back after this; clients connect again when they need to.
constexpr int kMaxConnectionIdleMs = 15 * 60'000;
// Clients may ask for a sign of life this often; two pings too many and the connection is closed.
constexpr int kMinPingIntervalMs = 10'000;
constexpr int kMaxPingStrikes = 2;

}  // namespace

void SetLimits(const config::v1::Server& config, size_t memory_quota_bytes, ::grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(config.max_message_bytes());
  // gRPC inflates a message before it looks at its size, so that 4 MiB could become gigabytes.
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  // Without work for it, the step that inflates would only cost each call time. The one that compresses stays: it also
  // tells clients, by grpc-accept-encoding, that the server reads no compression.
  builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, config.max_metadata_bytes());
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, config.max_streams_per_connection());
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeTimeoutMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveTimeMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kMinPingIntervalMs);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, kMaxPingStrikes);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, kMaxConnectionIdleMs);
  builder.AddChannelArgument(GRPC_ARG_ENABLE_CHANNELZ, config.channelz() ? 1 : 0);
  ::grpc::ResourceQuota quota("toolgate");
  quota.Resize(memory_quota_bytes);
  builder.SetResourceQuota(quota);
}

}  // namespace toolgate::services::grpc
