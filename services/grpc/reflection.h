// Server reflection, v1 and v1alpha: lets a client without our .proto files call us.
#ifndef TOOLGATE_SERVICES_GRPC_REFLECTION_H_
#define TOOLGATE_SERVICES_GRPC_REFLECTION_H_

#include <google/protobuf/descriptor.h>
#include <grpcpp/impl/service_type.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "services/grpc/call_tracker.h"

namespace toolgate::services::grpc {

// Descriptors that clients may see: the registered services, the files that define them, and those that these import.
// Other files in the binary (the configuration, internal messages) stay hidden. Immutable after SetServices.
class ReflectionCatalog {
 public:
  explicit ReflectionCatalog(const google::protobuf::DescriptorPool& pool) : pool_(pool) {}

  // `services` are full names; the files named in `more_files` are shown too (types that travel inside Any). To be
  // called once, before the first request is answered.
  void SetServices(std::vector<std::string> services, const std::vector<std::string>& more_files);

  const std::vector<std::string>& services() const { return services_; }
  // Each is nullptr when there is none that may be seen.
  const google::protobuf::FileDescriptor* FileByName(const std::string& name) const;
  const google::protobuf::FileDescriptor* FileOfSymbol(const std::string& symbol) const;
  const google::protobuf::FileDescriptor* FileOfExtension(const std::string& type, int number) const;
  // Nothing when there is no such type.
  std::optional<std::vector<int>> ExtensionNumbers(const std::string& type) const;

 private:
  void Show(const google::protobuf::FileDescriptor* file);
  const google::protobuf::FileDescriptor* IfShown(const google::protobuf::FileDescriptor* file) const;

  const google::protobuf::DescriptorPool& pool_;
  std::vector<std::string> services_;
  std::unordered_set<const google::protobuf::FileDescriptor*> shown_;
};

// The two services, from one implementation: their messages are identical but for the package. `catalog` and `calls`
// are borrowed.
std::unique_ptr<::grpc::Service> MakeReflectionServiceV1(const ReflectionCatalog& catalog, CallTracker& calls);
std::unique_ptr<::grpc::Service> MakeReflectionServiceV1Alpha(const ReflectionCatalog& catalog, CallTracker& calls);

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_REFLECTION_H_
