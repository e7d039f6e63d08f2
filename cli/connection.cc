#include "cli/connection.h"

#include <grpc/support/log.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <chrono>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace toolgate::cli {
namespace {

constexpr absl::Duration kUnaryTimeout = absl::Minutes(2);
// Maximum size of a response. Pages and chunks are far smaller, but a single result may be large.
constexpr int kMaxReceivedBytes = 64 << 20;

grpc::ChannelArguments Arguments() {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxReceivedBytes);
  // A web proxy from the environment is not meant for a local service.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetUserAgentPrefix("toolgate-cli");
  return arguments;
}

std::shared_ptr<grpc::ChannelCredentials> Credentials(const ClientOptions& options) {
  if (!options.tls()) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions tls;
  if (options.tls_ca != kSystemAuthorities) tls.pem_root_certs = options.tls_ca;
  tls.pem_cert_chain = options.tls_cert;
  tls.pem_private_key = options.tls_key;
  return grpc::SslCredentials(tls);
}

// Turns gRPC's own log off, which is for its developers, unless its environment variable is set.
void SilenceGrpc() {
  if (std::getenv("GRPC_VERBOSITY") == nullptr) gpr_set_log_function([](gpr_log_func_args*) {});
}

}  // namespace

Connection::Connection(const ClientOptions& options)
    : options_(options),
      channel_((SilenceGrpc(), grpc::CreateCustomChannel(options.address, Credentials(options), Arguments()))) {}

v1::Caller Connection::caller() const {
  v1::Caller caller;
  caller.set_workspace_id(options_.workspace);
  caller.set_user_id(options_.user);
  caller.set_user_name(options_.user_name);
  caller.set_conversation_id(options_.conversation);
  caller.set_ai_model(options_.model);
  caller.set_time_zone(options_.time_zone);
  return caller;
}

void Connection::Prepare(Patience patience, grpc::ClientContext& context) const {
  absl::Duration timeout = options_.timeout;
  if (timeout == absl::ZeroDuration() && patience == Patience::kUnary) timeout = kUnaryTimeout;
  if (timeout > absl::ZeroDuration()) {
    context.set_deadline(std::chrono::system_clock::now() + absl::ToChronoNanoseconds(timeout));
  }
  if (!options_.token.empty()) context.AddMetadata("authorization", absl::StrCat("Bearer ", options_.token));
}

std::shared_ptr<grpc::Channel> OpenOwnChannel(const ClientOptions& options) {
  SilenceGrpc();
  grpc::ChannelArguments arguments = Arguments();
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(options.address, Credentials(options), arguments);
}

}  // namespace toolgate::cli
