// A bare gRPC echo: the yardstick for toolgate's own speed. It answers ToolService.Execute with the arguments it got,
// through one of gRPC's three server models, and does nothing else. Used by `./dev bench` and for ADR 0002.
//
//   echo_server [callback|async|sync]      prints "port N" and serves until its standard input closes
#include <grpcpp/grpcpp.h>

#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "toolgate/v1/tool_service.grpc.pb.h"

namespace {

using toolgate::v1::ExecuteRequest;
using toolgate::v1::ExecuteResponse;
using toolgate::v1::ToolService;

void Answer(const ExecuteRequest& request, ExecuteResponse* response) {
  auto* result = response->mutable_result();
  result->set_success(true);
  result->set_data_json(request.arguments_json());
}

class CallbackEcho final : public ToolService::CallbackService {
  grpc::ServerUnaryReactor* Execute(grpc::CallbackServerContext* context, const ExecuteRequest* request,
                                    ExecuteResponse* response) override {
    Answer(*request, response);
    auto* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }
};

class SyncEcho final : public ToolService::Service {
  grpc::Status Execute(grpc::ServerContext*, const ExecuteRequest* request, ExecuteResponse* response) override {
    Answer(*request, response);
    return grpc::Status::OK;
  }
};

// One call of the async model: waits for a request, answers it, makes its successor.
class AsyncCall {
 public:
  AsyncCall(ToolService::AsyncService& service, grpc::ServerCompletionQueue& queue)
      : service_(service), queue_(queue), writer_(&context_) {
    service_.RequestExecute(&context_, &request_, &writer_, &queue_, &queue_, this);
  }

  void Proceed(bool ok) {
    if (answered_ || !ok) {
      delete this;
      return;
    }
    new AsyncCall(service_, queue_);
    answered_ = true;
    ExecuteResponse response;
    Answer(request_, &response);
    writer_.Finish(response, grpc::Status::OK, this);
  }

 private:
  ToolService::AsyncService& service_;
  grpc::ServerCompletionQueue& queue_;
  grpc::ServerContext context_;
  ExecuteRequest request_;
  grpc::ServerAsyncResponseWriter<ExecuteResponse> writer_;
  bool answered_ = false;
};

void ServeQueue(ToolService::AsyncService& service, grpc::ServerCompletionQueue& queue) {
  for (int i = 0; i < 128; ++i) new AsyncCall(service, queue);
  void* tag = nullptr;
  bool ok = false;
  while (queue.Next(&tag, &ok)) static_cast<AsyncCall*>(tag)->Proceed(ok);
}

void WaitForEndOfInput() {
  std::string line;
  while (std::getline(std::cin, line)) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view model = argc > 1 ? argv[1] : "callback";
  grpc::ServerBuilder builder;
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  CallbackEcho callback_echo;
  SyncEcho sync_echo;
  ToolService::AsyncService async_echo;
  std::vector<std::unique_ptr<grpc::ServerCompletionQueue>> queues;
  if (model == "callback") {
    builder.RegisterService(&callback_echo);
  } else if (model == "sync") {
    builder.RegisterService(&sync_echo);
  } else if (model == "async") {
    builder.RegisterService(&async_echo);
    for (int i = 0; i < 2; ++i) queues.push_back(builder.AddCompletionQueue());
  } else {
    std::cerr << "echo_server: unknown model \"" << model << "\"; one of callback, async, sync\n";
    return 2;
  }
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) return 1;
  std::vector<std::thread> threads;
  for (auto& queue : queues) threads.emplace_back([&] { ServeQueue(async_echo, *queue); });
  std::cout << "port " << port << std::endl;
  WaitForEndOfInput();
  server->Shutdown(std::chrono::system_clock::now());
  for (auto& queue : queues) queue->Shutdown();
  for (std::thread& thread : threads) thread.join();
  return 0;
}
