#include "services/grpc/channelz_service.h"

#include <grpc/grpc.h>
#include <grpc/support/alloc.h>

#include <memory>
#include <string>

#include "common/proto_bytes.h"

namespace toolgate::services::grpc {
namespace {

struct GprFree {
  void operator()(char* text) const { gpr_free(text); }
};
using CoreJson = std::unique_ptr<char, GprFree>;

// gRPC's core answers channelz questions as the JSON form of the response; null means that there is no such entity.
::grpc::ServerUnaryReactor* Answer(::grpc::CallbackServerContext* context, CoreJson json,
                                   google::protobuf::Message* response) {
  auto* reactor = context->DefaultReactor();
  if (json == nullptr) {
    reactor->Finish(::grpc::Status(::grpc::StatusCode::NOT_FOUND, "There is no entity of that number."));
    return reactor;
  }
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const absl::Status parsed = JsonToProto(json.get(), options, *response);
  reactor->Finish(parsed.ok() ? ::grpc::Status::OK
                              : ::grpc::Status(::grpc::StatusCode::INTERNAL, "The entity could not be described."));
  return reactor;
}

}  // namespace

namespace channelz = ::grpc::channelz::v1;

::grpc::ServerUnaryReactor* ChannelzService::GetTopChannels(::grpc::CallbackServerContext* context,
                                                            const channelz::GetTopChannelsRequest* request,
                                                            channelz::GetTopChannelsResponse* response) {
  return Answer(context, CoreJson(grpc_channelz_get_top_channels(request->start_channel_id())), response);
}

::grpc::ServerUnaryReactor* ChannelzService::GetServers(::grpc::CallbackServerContext* context,
                                                        const channelz::GetServersRequest* request,
                                                        channelz::GetServersResponse* response) {
  return Answer(context, CoreJson(grpc_channelz_get_servers(request->start_server_id())), response);
}

::grpc::ServerUnaryReactor* ChannelzService::GetServer(::grpc::CallbackServerContext* context,
                                                       const channelz::GetServerRequest* request,
                                                       channelz::GetServerResponse* response) {
  return Answer(context, CoreJson(grpc_channelz_get_server(request->server_id())), response);
}

::grpc::ServerUnaryReactor* ChannelzService::GetServerSockets(::grpc::CallbackServerContext* context,
                                                              const channelz::GetServerSocketsRequest* request,
                                                              channelz::GetServerSocketsResponse* response) {
  if (request->start_socket_id() < 0 || request->max_results() < 0) {
    auto* reactor = context->DefaultReactor();
    reactor->Finish(::grpc::Status(::grpc::StatusCode::INVALID_ARGUMENT, "Numbers must not be negative."));
    return reactor;
  }
  return Answer(context,
                CoreJson(grpc_channelz_get_server_sockets(request->server_id(), request->start_socket_id(),
                                                          request->max_results())),
                response);
}

::grpc::ServerUnaryReactor* ChannelzService::GetChannel(::grpc::CallbackServerContext* context,
                                                        const channelz::GetChannelRequest* request,
                                                        channelz::GetChannelResponse* response) {
  return Answer(context, CoreJson(grpc_channelz_get_channel(request->channel_id())), response);
}

::grpc::ServerUnaryReactor* ChannelzService::GetSubchannel(::grpc::CallbackServerContext* context,
                                                           const channelz::GetSubchannelRequest* request,
                                                           channelz::GetSubchannelResponse* response) {
  return Answer(context, CoreJson(grpc_channelz_get_subchannel(request->subchannel_id())), response);
}

::grpc::ServerUnaryReactor* ChannelzService::GetSocket(::grpc::CallbackServerContext* context,
                                                       const channelz::GetSocketRequest* request,
                                                       channelz::GetSocketResponse* response) {
  return Answer(context, CoreJson(grpc_channelz_get_socket(request->socket_id())), response);
}

}  // namespace toolgate::services::grpc
