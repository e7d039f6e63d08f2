#include "services/http/microhttpd.h"

#include <dlfcn.h>

#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"

namespace toolgate::services::http {
namespace {

constexpr char kLibraryFile[] = "libmicrohttpd.so.12";

template <typename Function>
absl::Status FindFunction(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr ? absl::OkStatus() : absl::UnavailableError(absl::StrCat(kLibraryFile, " has no ", name));
}

absl::StatusOr<const Microhttpd*> LoadMicrohttpd() {
  void* const library = dlopen(kLibraryFile, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::UnavailableError(absl::StrCat("cannot load libmicrohttpd, which serves HTTP: ", dlerror(),
                                               "; install it (Debian: libmicrohttpd12), or leave http.listen empty"));
  }
  static Microhttpd found;
  RETURN_IF_ERROR(FindFunction(library, "MHD_start_daemon", found.start_daemon));
  RETURN_IF_ERROR(FindFunction(library, "MHD_stop_daemon", found.stop_daemon));
  RETURN_IF_ERROR(FindFunction(library, "MHD_quiesce_daemon", found.quiesce_daemon));
  RETURN_IF_ERROR(FindFunction(library, "MHD_suspend_connection", found.suspend_connection));
  RETURN_IF_ERROR(FindFunction(library, "MHD_resume_connection", found.resume_connection));
  RETURN_IF_ERROR(FindFunction(library, "MHD_get_connection_info", found.get_connection_info));
  RETURN_IF_ERROR(FindFunction(library, "MHD_get_connection_values_n", found.get_connection_values_n));
  RETURN_IF_ERROR(FindFunction(library, "MHD_create_response_from_buffer", found.create_response_from_buffer));
  RETURN_IF_ERROR(FindFunction(library, "MHD_create_response_from_callback", found.create_response_from_callback));
  RETURN_IF_ERROR(FindFunction(library, "MHD_add_response_header", found.add_response_header));
  RETURN_IF_ERROR(FindFunction(library, "MHD_queue_response", found.queue_response));
  RETURN_IF_ERROR(FindFunction(library, "MHD_destroy_response", found.destroy_response));
  RETURN_IF_ERROR(FindFunction(library, "MHD_get_version", found.get_version));
  found.can_be_strict = std::string_view(found.get_version()).substr(0, 2) != "0.";
  return &found;
}

}  // namespace

absl::StatusOr<const Microhttpd*> Microhttpd::Load() {
  static const absl::StatusOr<const Microhttpd*> loaded = LoadMicrohttpd();
  return loaded;
}

}  // namespace toolgate::services::http
