// A closed-loop load client, kept as cheap as gRPC's C++ client allows: one thread, one channel, requests serialised
// once. Prints one line of JSON.
//
//   load_client ADDRESS IN_FLIGHT SECONDS TOOL ARGUMENTS_JSON [--expect ok|refused] [--refused EVERY ARGUMENTS_JSON]
//
// In ARGUMENTS_JSON, every "%" becomes the number of the call. With --refused, each EVERY-th call has those arguments
// instead and must be refused. A call whose outcome is not the expected one counts as an error, and any error makes the
// exit code 1.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "toolgate/v1/tool_service.pb.h"

namespace {

using Clock = std::chrono::steady_clock;
using toolgate::v1::ExecuteRequest;
using toolgate::v1::ExecuteResponse;

constexpr char kMethod[] = "/toolgate.v1.ToolService/Execute";

struct Options {
  std::string address;
  int in_flight = 1;
  double seconds = 1;
  std::string tool;
  std::string arguments;
  bool expect_refusal = false;
  // Each `refused_every`-th call has `refused_arguments` and must be refused; 0: none.
  int64_t refused_every = 0;
  std::string refused_arguments = {};
};

struct Totals {
  int64_t calls = 0;
  int64_t errors = 0;
  std::string first_error;
  std::vector<float> micros;
};

class Loop {
 public:
  explicit Loop(const Options& options)
      : options_(options),
        stub_(grpc::CreateChannel(options.address, grpc::InsecureChannelCredentials())),
        varies_(options.arguments.find('%') != std::string::npos) {
    fixed_ = MakeRequest(options.arguments, 0);
    refused_ = MakeRequest(options.refused_arguments, 0);
  }

  Totals Run() {
    const auto end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.seconds));
    int running = 0;
    for (; running < options_.in_flight; ++running) Start(new Call);
    void* tag = nullptr;
    bool ok = false;
    while (running > 0 && queue_.Next(&tag, &ok)) {
      std::unique_ptr<Call> call(static_cast<Call*>(tag));
      Count(*call);
      if (Clock::now() < end) {
        Start(new Call);
      } else {
        --running;
      }
    }
    return std::move(totals_);
  }

 private:
  struct Call {
    grpc::ClientContext context;
    grpc::ByteBuffer response;
    grpc::Status status;
    bool expect_refusal = false;
    Clock::time_point start;
    std::unique_ptr<grpc::ClientAsyncResponseReader<grpc::ByteBuffer>> reader;
  };

  grpc::ByteBuffer MakeRequest(std::string arguments, int64_t number) {
    ExecuteRequest request;
    request.set_tool_id(options_.tool);
    for (size_t at; (at = arguments.find('%')) != std::string::npos;) {
      arguments.replace(at, 1, std::to_string(number));
    }
    request.set_arguments_json(arguments);
    request.mutable_caller()->set_workspace_id("bench");
    request.mutable_caller()->set_user_id("bench");
    const std::string bytes = request.SerializeAsString();
    grpc::Slice slice(bytes);
    return grpc::ByteBuffer(&slice, 1);
  }

  void Start(Call* call) {
    const int64_t number = next_number_++;
    const bool refused = options_.refused_every > 0 && number % options_.refused_every == 0;
    call->expect_refusal = refused || options_.expect_refusal;
    call->start = Clock::now();
    const grpc::ByteBuffer request = refused ? refused_ : varies_ ? MakeRequest(options_.arguments, number) : fixed_;
    call->reader = stub_.PrepareUnaryCall(&call->context, kMethod, request, &queue_);
    call->reader->StartCall();
    call->reader->Finish(&call->response, &call->status, call);
  }

  void Count(const Call& call) {
    ++totals_.calls;
    totals_.micros.push_back(std::chrono::duration<float, std::micro>(Clock::now() - call.start).count());
    std::string problem;
    if (call.status.ok() == call.expect_refusal) {
      problem = call.status.ok() ? "the call was not refused" : call.status.error_message();
    } else if (call.status.ok() && !Succeeded(call.response)) {
      problem = "the tool failed";
    }
    if (problem.empty()) return;
    ++totals_.errors;
    if (totals_.first_error.empty()) totals_.first_error = problem;
  }

  // Field 1 (result) of the response holds field 1 (success) = true at its very start: no need to parse it all.
  static bool Succeeded(const grpc::ByteBuffer& buffer) {
    grpc::Slice slice;
    if (!buffer.TrySingleSlice(&slice).ok() && !buffer.DumpToSingleSlice(&slice).ok()) return false;
    const std::string_view bytes(reinterpret_cast<const char*>(slice.begin()), slice.size());
    return bytes.size() > 4 && bytes[0] == 0x0a && bytes.substr(0, 8).find("\x08\x01") != std::string_view::npos;
  }

  const Options& options_;
  grpc::GenericStub stub_;
  grpc::CompletionQueue queue_;
  const bool varies_;
  grpc::ByteBuffer fixed_;
  grpc::ByteBuffer refused_;
  int64_t next_number_ = 0;
  Totals totals_;
};

// Nothing if they are not as the head of this file says.
std::optional<Options> ReadOptions(const std::vector<std::string>& arguments) {
  if (arguments.size() < 5) return std::nullopt;
  Options options{arguments[0], std::atoi(arguments[1].c_str()), std::atof(arguments[2].c_str()), arguments[3],
                  arguments[4]};
  for (size_t i = 5; i < arguments.size();) {
    if (arguments[i] == "--expect" && i + 1 < arguments.size()) {
      options.expect_refusal = arguments[i + 1] == "refused";
      i += 2;
    } else if (arguments[i] == "--refused" && i + 2 < arguments.size()) {
      options.refused_every = std::atoll(arguments[i + 1].c_str());
      options.refused_arguments = arguments[i + 2];
      i += 3;
    } else {
      return std::nullopt;
    }
  }
  return options;
}

float Percentile(std::vector<float>& values, double share) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<int64_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Options> read = ReadOptions({argv + 1, argv + argc});
  if (!read.has_value()) {
    std::cerr << "usage: load_client ADDRESS IN_FLIGHT SECONDS TOOL ARGUMENTS_JSON [--expect ok|refused] "
                 "[--refused EVERY ARGUMENTS_JSON]\n";
    return 2;
  }
  const Options& options = *read;
  const auto start = Clock::now();
  Totals totals = Loop(options).Run();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  std::printf("{\"calls\":%lld,\"errors\":%lld,\"rate\":%.0f,\"p50_us\":%.0f,\"p99_us\":%.0f}\n",
              static_cast<long long>(totals.calls), static_cast<long long>(totals.errors),
              static_cast<double>(totals.calls) / seconds, Percentile(totals.micros, 0.5),
              Percentile(totals.micros, 0.99));
  if (totals.errors > 0) std::cerr << "load_client: first error: " << totals.first_error << "\n";
  return totals.errors > 0 ? 1 : 0;
}
