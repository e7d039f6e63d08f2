#include "services/grpc/channelz_service.h"

#include "grpc/channelz/v1/channelz.grpc.pb.h"
#include "gtest/gtest.h"
#include "tests/unit/services/grpc/test_service.h"

namespace toolgate::services::grpc {
namespace {

TEST(ChannelzTest, ShowsTheServerItsSocketsAndTheirCalls) {
  TestServer server;
  ASSERT_TRUE(Call().Run(server.Connect(), "echo").ok());
  const auto stub = ::grpc::channelz::v1::Channelz::NewStub(server.Connect());
  ::grpc::channelz::v1::GetServersResponse servers;
  {
    ::grpc::ClientContext context;
    ASSERT_TRUE(stub->GetServers(&context, {}, &servers).ok());
  }
  ASSERT_GE(servers.server_size(), 1);
  const auto& newest = servers.server(servers.server_size() - 1);
  EXPECT_GE(newest.data().calls_started(), 2);
  ::grpc::channelz::v1::GetServerSocketsRequest sockets_request;
  sockets_request.set_server_id(newest.ref().server_id());
  ::grpc::channelz::v1::GetServerSocketsResponse sockets;
  {
    ::grpc::ClientContext context;
    ASSERT_TRUE(stub->GetServerSockets(&context, sockets_request, &sockets).ok());
  }
  ASSERT_GE(sockets.socket_ref_size(), 1);
  ::grpc::channelz::v1::GetSocketRequest socket_request;
  // The newest is the one that asks, so it stays.
  socket_request.set_socket_id(sockets.socket_ref(sockets.socket_ref_size() - 1).socket_id());
  ::grpc::channelz::v1::GetSocketResponse socket;
  ::grpc::ClientContext context;
  ASSERT_TRUE(stub->GetSocket(&context, socket_request, &socket).ok());
  EXPECT_EQ(socket.socket().ref().socket_id(), socket_request.socket_id());
}

TEST(ChannelzTest, AnUnknownNumberIsNotFound) {
  TestServer server;
  const auto stub = ::grpc::channelz::v1::Channelz::NewStub(server.Connect());
  ::grpc::ClientContext context;
  ::grpc::channelz::v1::GetServerRequest request;
  request.set_server_id(1 << 30);
  ::grpc::channelz::v1::GetServerResponse response;
  EXPECT_EQ(stub->GetServer(&context, request, &response).error_code(), ::grpc::StatusCode::NOT_FOUND);
}

TEST(ChannelzTest, IsAbsentWhenTurnedOff) {
  auto config = TestConfig();
  config.set_channelz(false);
  TestServer server(config);
  ::grpc::ClientContext context;
  ::grpc::channelz::v1::GetServersResponse servers;
  EXPECT_EQ(::grpc::channelz::v1::Channelz::NewStub(server.Connect())->GetServers(&context, {}, &servers).error_code(),
            ::grpc::StatusCode::UNIMPLEMENTED);
}

}  // namespace
}  // namespace toolgate::services::grpc
