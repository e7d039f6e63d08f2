// grpc.channelz.v1: what gRPC knows about its servers, channels and sockets.
#ifndef TOOLGATE_SERVICES_GRPC_CHANNELZ_SERVICE_H_
#define TOOLGATE_SERVICES_GRPC_CHANNELZ_SERVICE_H_

#include "grpc/channelz/v1/channelz.grpc.pb.h"

namespace toolgate::services::grpc {

// gRPC's own channelz plugin is a synchronous service: one is enough to give the server a second kind of threads, to
// which a share of all connections is then bound. It also cannot be turned on for one server only. Thread-safe,
// stateless.
class ChannelzService final : public ::grpc::channelz::v1::Channelz::CallbackService {
 public:
  ::grpc::ServerUnaryReactor* GetTopChannels(::grpc::CallbackServerContext* context,
                                             const ::grpc::channelz::v1::GetTopChannelsRequest* request,
                                             ::grpc::channelz::v1::GetTopChannelsResponse* response) override;
  ::grpc::ServerUnaryReactor* GetServers(::grpc::CallbackServerContext* context,
                                         const ::grpc::channelz::v1::GetServersRequest* request,
                                         ::grpc::channelz::v1::GetServersResponse* response) override;
  ::grpc::ServerUnaryReactor* GetServer(::grpc::CallbackServerContext* context,
                                        const ::grpc::channelz::v1::GetServerRequest* request,
                                        ::grpc::channelz::v1::GetServerResponse* response) override;
  ::grpc::ServerUnaryReactor* GetServerSockets(::grpc::CallbackServerContext* context,
                                               const ::grpc::channelz::v1::GetServerSocketsRequest* request,
                                               ::grpc::channelz::v1::GetServerSocketsResponse* response) override;
  ::grpc::ServerUnaryReactor* GetChannel(::grpc::CallbackServerContext* context,
                                         const ::grpc::channelz::v1::GetChannelRequest* request,
                                         ::grpc::channelz::v1::GetChannelResponse* response) override;
  ::grpc::ServerUnaryReactor* GetSubchannel(::grpc::CallbackServerContext* context,
                                            const ::grpc::channelz::v1::GetSubchannelRequest* request,
                                            ::grpc::channelz::v1::GetSubchannelResponse* response) override;
  ::grpc::ServerUnaryReactor* GetSocket(::grpc::CallbackServerContext* context,
                                        const ::grpc::channelz::v1::GetSocketRequest* request,
                                        ::grpc::channelz::v1::GetSocketResponse* response) override;
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_CHANNELZ_SERVICE_H_
