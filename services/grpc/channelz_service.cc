#include "services/grpc/channelz_service.h"

#include <grpc/grpc.h>
#include <grpc/support/alloc.h>

#include <memory>
#include <string>

#include "common/proto_bytes.h"
#include "services/grpc/message_bytes.h"

namespace toolgate::services::grpc {
namespace {

struct GprFree {
  void operator()(char* text) const { gpr_free(text); }
};
using CoreJson = std::unique_ptr<char, GprFree>;

// gRPC's core answers channelz questions as the JSON form of the response; null means that there is no such entity.
::grpc::Status Describe(const CoreJson& json, google::protobuf::Message& response) {
  if (json == nullptr) return {::grpc::StatusCode::NOT_FOUND, "There is no entity of that number."};
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  if (JsonToProto(json.get(), options, response).ok()) return ::grpc::Status::OK;
  return {::grpc::StatusCode::INTERNAL, "The entity could not be described."};
}

// Answers the question in `in` by what `ask` makes of it: a text of the core, null if there is no such entity.
template <typename Request, typename Response>
::grpc::ServerUnaryReactor* Answer(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* in,
                                   ::grpc::ByteBuffer* out, char* (*ask)(const Request&)) {
  Request request;
  Response response;
  ::grpc::Status status = ReadQuestion(*in, request);
  if (status.ok()) status = Describe(CoreJson(ask(request)), response);
  if (status.ok()) status = WriteAnswer(response, *out);
  auto* reactor = context->DefaultReactor();
  reactor->Finish(status);
  return reactor;
}

}  // namespace

namespace channelz = ::grpc::channelz::v1;

::grpc::ServerUnaryReactor* ChannelzService::GetTopChannels(::grpc::CallbackServerContext* context,
                                                            const ::grpc::ByteBuffer* in, ::grpc::ByteBuffer* out) {
  return Answer<channelz::GetTopChannelsRequest, channelz::GetTopChannelsResponse>(
      context, in, out, +[](const channelz::GetTopChannelsRequest& request) -> char* {
        return grpc_channelz_get_top_channels(request.start_channel_id());
      });
}

::grpc::ServerUnaryReactor* ChannelzService::GetServers(::grpc::CallbackServerContext* context,
                                                        const ::grpc::ByteBuffer* in, ::grpc::ByteBuffer* out) {
  return Answer<channelz::GetServersRequest, channelz::GetServersResponse>(
      context, in, out, +[](const channelz::GetServersRequest& request) -> char* {
        return grpc_channelz_get_servers(request.start_server_id());
      });
}

::grpc::ServerUnaryReactor* ChannelzService::GetServer(::grpc::CallbackServerContext* context,
                                                       const ::grpc::ByteBuffer* in, ::grpc::ByteBuffer* out) {
  return Answer<channelz::GetServerRequest, channelz::GetServerResponse>(
      context, in, out, +[](const channelz::GetServerRequest& request) -> char* {
        return grpc_channelz_get_server(request.server_id());
      });
}

::grpc::ServerUnaryReactor* ChannelzService::GetServerSockets(::grpc::CallbackServerContext* context,
                                                              const ::grpc::ByteBuffer* in, ::grpc::ByteBuffer* out) {
  return Answer<channelz::GetServerSocketsRequest, channelz::GetServerSocketsResponse>(
      context, in, out, +[](const channelz::GetServerSocketsRequest& request) -> char* {
        // The core aborts on negative numbers.
        if (request.start_socket_id() < 0 || request.max_results() < 0) return nullptr;
        return grpc_channelz_get_server_sockets(request.server_id(), request.start_socket_id(), request.max_results());
      });
}

::grpc::ServerUnaryReactor* ChannelzService::GetChannel(::grpc::CallbackServerContext* context,
                                                        const ::grpc::ByteBuffer* in, ::grpc::ByteBuffer* out) {
  return Answer<channelz::GetChannelRequest, channelz::GetChannelResponse>(
      context, in, out, +[](const channelz::GetChannelRequest& request) -> char* {
        return grpc_channelz_get_channel(request.channel_id());
      });
}

::grpc::ServerUnaryReactor* ChannelzService::GetSubchannel(::grpc::CallbackServerContext* context,
                                                           const ::grpc::ByteBuffer* in, ::grpc::ByteBuffer* out) {
  return Answer<channelz::GetSubchannelRequest, channelz::GetSubchannelResponse>(
      context, in, out, +[](const channelz::GetSubchannelRequest& request) -> char* {
        return grpc_channelz_get_subchannel(request.subchannel_id());
      });
}

::grpc::ServerUnaryReactor* ChannelzService::GetSocket(::grpc::CallbackServerContext* context,
                                                       const ::grpc::ByteBuffer* in, ::grpc::ByteBuffer* out) {
  return Answer<channelz::GetSocketRequest, channelz::GetSocketResponse>(
      context, in, out, +[](const channelz::GetSocketRequest& request) -> char* {
        return grpc_channelz_get_socket(request.socket_id());
      });
}

}  // namespace toolgate::services::grpc
