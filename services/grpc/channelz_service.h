// grpc.channelz.v1: what gRPC knows about its servers, channels and sockets.
#ifndef TOOLGATE_SERVICES_GRPC_CHANNELZ_SERVICE_H_
#define TOOLGATE_SERVICES_GRPC_CHANNELZ_SERVICE_H_

#include "grpc/channelz/v1/channelz.grpc.pb.h"

namespace toolgate::services::grpc {

using ::grpc::channelz::v1::Channelz;
// As bytes, so that only short questions are parsed: the service asks for no credentials.
using ChannelzOfBytes = Channelz::WithRawCallbackMethod_GetSocket<Channelz::WithRawCallbackMethod_GetSubchannel<
    Channelz::WithRawCallbackMethod_GetChannel<Channelz::WithRawCallbackMethod_GetServerSockets<
        Channelz::WithRawCallbackMethod_GetServer<Channelz::WithRawCallbackMethod_GetServers<
            Channelz::WithRawCallbackMethod_GetTopChannels<Channelz::Service>>>>>>>;

// gRPC's own channelz plugin is a synchronous service: one is enough to give the server a second kind of threads, to
// which a share of all connections is then bound. It also cannot be turned on for one server only. Thread-safe,
// stateless.
class ChannelzService final : public ChannelzOfBytes {
 public:
  ::grpc::ServerUnaryReactor* GetTopChannels(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* in,
                                             ::grpc::ByteBuffer* out) override;
  ::grpc::ServerUnaryReactor* GetServers(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* in,
                                         ::grpc::ByteBuffer* out) override;
  ::grpc::ServerUnaryReactor* GetServer(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* in,
                                        ::grpc::ByteBuffer* out) override;
  ::grpc::ServerUnaryReactor* GetServerSockets(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* in,
                                               ::grpc::ByteBuffer* out) override;
  ::grpc::ServerUnaryReactor* GetChannel(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* in,
                                         ::grpc::ByteBuffer* out) override;
  ::grpc::ServerUnaryReactor* GetSubchannel(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* in,
                                            ::grpc::ByteBuffer* out) override;
  ::grpc::ServerUnaryReactor* GetSocket(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* in,
                                        ::grpc::ByteBuffer* out) override;
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_CHANNELZ_SERVICE_H_
