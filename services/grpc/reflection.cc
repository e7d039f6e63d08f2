#include "services/grpc/reflection.h"

#include <algorithm>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "common/proto_bytes.h"
#include "common/status_macros.h"
#include "google/protobuf/descriptor.pb.h"
#include "grpc/reflection/v1/reflection.grpc.pb.h"
#include "grpc/reflection/v1alpha/reflection.grpc.pb.h"
#include "services/grpc/message_bytes.h"

namespace toolgate::services::grpc {
namespace {

using google::protobuf::FileDescriptor;

// The names of one version's types.
struct V1 {
  using Service = ::grpc::reflection::v1::ServerReflection::WithRawCallbackMethod_ServerReflectionInfo<
      ::grpc::reflection::v1::ServerReflection::Service>;
  using Request = ::grpc::reflection::v1::ServerReflectionRequest;
  using Response = ::grpc::reflection::v1::ServerReflectionResponse;
};
struct V1Alpha {
  using Service = ::grpc::reflection::v1alpha::ServerReflection::WithRawCallbackMethod_ServerReflectionInfo<
      ::grpc::reflection::v1alpha::ServerReflection::Service>;
  using Request = ::grpc::reflection::v1alpha::ServerReflectionRequest;
  using Response = ::grpc::reflection::v1alpha::ServerReflectionResponse;
};

template <typename Response>
void SetError(::grpc::StatusCode code, const char* message, Response* response) {
  response->mutable_error_response()->set_error_code(code);
  response->mutable_error_response()->set_error_message(message);
}

// `file` and everything it imports, each once, so that a client needs no further question.
template <typename FilesResponse>
absl::Status AddWithImports(const FileDescriptor* file, std::unordered_set<const FileDescriptor*>& added,
                            FilesResponse* out) {
  if (!added.insert(file).second) return absl::OkStatus();
  google::protobuf::FileDescriptorProto proto;
  file->CopyTo(&proto);
  ASSIGN_OR_RETURN(*out->add_file_descriptor_proto(), SerializeProto(proto));
  for (int i = 0; i < file->dependency_count(); ++i) {
    RETURN_IF_ERROR(AddWithImports(file->dependency(i), added, out));
  }
  return absl::OkStatus();
}

template <typename Response>
void SetFile(const FileDescriptor* file, const char* not_found, Response* response) {
  if (file == nullptr) {
    SetError(::grpc::StatusCode::NOT_FOUND, not_found, response);
    return;
  }
  std::unordered_set<const FileDescriptor*> added;
  if (!AddWithImports(file, added, response->mutable_file_descriptor_response()).ok()) {
    SetError(::grpc::StatusCode::INTERNAL, "The file could not be described.", response);
  }
}

template <typename Response>
void SetExtensionNumbers(const ReflectionCatalog& catalog, const std::string& type, Response* response) {
  const std::optional<std::vector<int>> numbers = catalog.ExtensionNumbers(type);
  if (!numbers.has_value()) {
    SetError(::grpc::StatusCode::NOT_FOUND, "There is no message type of that name.", response);
    return;
  }
  auto* out = response->mutable_all_extension_numbers_response();
  out->set_base_type_name(type);
  for (const int number : *numbers) out->add_extension_number(number);
}

template <typename Version>
void AnswerRequest(const ReflectionCatalog& catalog, const typename Version::Request& request,
                   typename Version::Response* response) {
  using Request = typename Version::Request;
  response->set_valid_host(request.host());
  *response->mutable_original_request() = request;
  switch (request.message_request_case()) {
    case Request::kFileByFilename:
      SetFile(catalog.FileByName(request.file_by_filename()), "There is no file of that name.", response);
      break;
    case Request::kFileContainingSymbol:
      SetFile(catalog.FileOfSymbol(request.file_containing_symbol()), "There is no symbol of that name.", response);
      break;
    case Request::kFileContainingExtension:
      SetFile(catalog.FileOfExtension(request.file_containing_extension().containing_type(),
                                      request.file_containing_extension().extension_number()),
              "There is no extension of that type and number.", response);
      break;
    case Request::kAllExtensionNumbersOfType:
      SetExtensionNumbers(catalog, request.all_extension_numbers_of_type(), response);
      break;
    case Request::kListServices:
      for (const std::string& name : catalog.services()) {
        response->mutable_list_services_response()->add_service()->set_name(name);
      }
      break;
    case Request::MESSAGE_REQUEST_NOT_SET:
      SetError(::grpc::StatusCode::INVALID_ARGUMENT, "The request asks for nothing.", response);
      break;
  }
}

// One stream: reads a request, answers it, reads the next. gRPC never runs a reaction inside the call that causes it,
// so the mutex may be held while calling StartWrite and Finish.
template <typename Version>
class ReflectionReactor final : public ::grpc::ServerBidiReactor<::grpc::ByteBuffer, ::grpc::ByteBuffer>,
                                public TrackedCall {
 public:
  ReflectionReactor(const ReflectionCatalog& catalog, CallTracker& calls) : catalog_(catalog), calls_(calls) {}

  void Begin() {
    StartRead(&request_);
    calls_.Add(*this, CallTracker::Length::kOpenEnded);
  }

  void Cancel() override {
    absl::MutexLock lock(&mutex_);
    End(::grpc::Status(::grpc::StatusCode::UNAVAILABLE, "The server is shutting down."));
  }

 private:
  void OnReadDone(bool ok) override {
    absl::MutexLock lock(&mutex_);
    if (!ok) return End(::grpc::Status::OK);
    const ::grpc::Status answered = Answer();
    request_.Clear();  // The stream may last.
    if (!answered.ok()) return End(answered);
    if (ending_.has_value()) return;
    writing_ = true;
    StartWrite(&response_);
  }

  ::grpc::Status Answer() {
    typename Version::Request request;
    if (::grpc::Status read = ReadQuestion(request_, request); !read.ok()) return read;
    typename Version::Response response;
    AnswerRequest<Version>(catalog_, request, &response);
    return WriteAnswer(response, response_);
  }

  void OnWriteDone(bool ok) override {
    absl::MutexLock lock(&mutex_);
    writing_ = false;
    if (!ok && !ending_.has_value()) ending_ = ::grpc::Status::CANCELLED;
    if (ending_.has_value()) {
      Finish(*ending_);
    } else {
      response_.Clear();
      StartRead(&request_);
    }
  }

  void OnDone() override {
    calls_.Remove(*this);
    delete this;
  }

  // Finishes now, or after the write that is under way.
  void End(::grpc::Status status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (ending_.has_value()) return;
    ending_ = std::move(status);
    if (!writing_) Finish(*ending_);
  }

  const ReflectionCatalog& catalog_;
  CallTracker& calls_;
  ::grpc::ByteBuffer request_;
  ::grpc::ByteBuffer response_;
  absl::Mutex mutex_;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<::grpc::Status> ending_ ABSL_GUARDED_BY(mutex_);
};

template <typename Version>
class ReflectionService final : public Version::Service {
 public:
  ReflectionService(const ReflectionCatalog& catalog, CallTracker& calls) : catalog_(catalog), calls_(calls) {}

  ::grpc::ServerBidiReactor<::grpc::ByteBuffer, ::grpc::ByteBuffer>* ServerReflectionInfo(
      ::grpc::CallbackServerContext*) override {
    auto* reactor = new ReflectionReactor<Version>(catalog_, calls_);
    reactor->Begin();
    return reactor;
  }

 private:
  const ReflectionCatalog& catalog_;
  CallTracker& calls_;
};

}  // namespace

void ReflectionCatalog::SetServices(std::vector<std::string> services, const std::vector<std::string>& more_files) {
  services_ = std::move(services);
  std::sort(services_.begin(), services_.end());
  for (const std::string& name : services_) {
    const auto* service = pool_.FindServiceByName(name);
    if (service != nullptr) Show(service->file());
  }
  for (const std::string& name : more_files) Show(pool_.FindFileByName(name));
}

void ReflectionCatalog::Show(const FileDescriptor* file) {
  if (file == nullptr || !shown_.insert(file).second) return;
  for (int i = 0; i < file->dependency_count(); ++i) Show(file->dependency(i));
}

const FileDescriptor* ReflectionCatalog::IfShown(const FileDescriptor* file) const {
  return file != nullptr && shown_.count(file) > 0 ? file : nullptr;
}

const FileDescriptor* ReflectionCatalog::FileByName(const std::string& name) const {
  return IfShown(pool_.FindFileByName(name));
}

const FileDescriptor* ReflectionCatalog::FileOfSymbol(const std::string& symbol) const {
  return IfShown(pool_.FindFileContainingSymbol(symbol));
}

const FileDescriptor* ReflectionCatalog::FileOfExtension(const std::string& type, int number) const {
  const auto* message = pool_.FindMessageTypeByName(type);
  if (message == nullptr) return nullptr;
  const auto* extension = pool_.FindExtensionByNumber(message, number);
  return extension == nullptr ? nullptr : IfShown(extension->file());
}

std::optional<std::vector<int>> ReflectionCatalog::ExtensionNumbers(const std::string& type) const {
  const auto* message = pool_.FindMessageTypeByName(type);
  if (message == nullptr || IfShown(message->file()) == nullptr) return std::nullopt;
  std::vector<const google::protobuf::FieldDescriptor*> extensions;
  pool_.FindAllExtensions(message, &extensions);
  std::vector<int> numbers;
  for (const auto* extension : extensions) {
    if (IfShown(extension->file()) != nullptr) numbers.push_back(extension->number());
  }
  return numbers;
}

std::unique_ptr<::grpc::Service> MakeReflectionServiceV1(const ReflectionCatalog& catalog, CallTracker& calls) {
  return std::make_unique<ReflectionService<V1>>(catalog, calls);
}

std::unique_ptr<::grpc::Service> MakeReflectionServiceV1Alpha(const ReflectionCatalog& catalog, CallTracker& calls) {
  return std::make_unique<ReflectionService<V1Alpha>>(catalog, calls);
}

}  // namespace toolgate::services::grpc
