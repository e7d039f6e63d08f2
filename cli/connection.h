// Connection to the service.
#ifndef TOOLGATE_CLI_CONNECTION_H_
#define TOOLGATE_CLI_CONNECTION_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <memory>

#include "cli/client_options.h"
#include "toolgate/v1/caller.pb.h"

namespace toolgate::cli {

// Connects on first use. Thread-safe.
class Connection {
 public:
  // Default timeout of a call, used if the user gives none.
  enum class Patience { kUnary, kBulk };

  // `options` must have read their files.
  explicit Connection(const ClientOptions& options);

  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }

  // Caller that the flags describe.
  v1::Caller caller() const;

  // Sets deadline and credentials of one call.
  void Prepare(Patience patience, grpc::ClientContext& context) const;

 private:
  const ClientOptions options_;
  std::shared_ptr<grpc::Channel> channel_;
};

// Opens a channel whose connection no other channel shares, for load tests. `options` must have read their files.
std::shared_ptr<grpc::Channel> OpenOwnChannel(const ClientOptions& options);

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_CONNECTION_H_
