#include "common/http/curl_library.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"

namespace toolgate::http {
namespace {

constexpr char kFile[] = "libcurl.so.4";

template <typename Function>
absl::Status Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr ? absl::OkStatus() : absl::UnavailableError(absl::StrCat(kFile, " has no ", name));
}

absl::StatusOr<const CurlLibrary*> LoadOnce() {
  void* const library = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return absl::UnavailableError(absl::StrCat("cannot load libcurl: ", dlerror()));
  static CurlLibrary curl;
  decltype(&::curl_global_init) global_init = nullptr;
  RETURN_IF_ERROR(Find(library, "curl_global_init", global_init));
  RETURN_IF_ERROR(Find(library, "curl_easy_init", curl.easy_init));
  RETURN_IF_ERROR(Find(library, "curl_easy_cleanup", curl.easy_cleanup));
  RETURN_IF_ERROR(Find(library, "curl_easy_setopt", curl.easy_setopt));
  RETURN_IF_ERROR(Find(library, "curl_easy_perform", curl.easy_perform));
  RETURN_IF_ERROR(Find(library, "curl_easy_getinfo", curl.easy_getinfo));
  RETURN_IF_ERROR(Find(library, "curl_easy_strerror", curl.easy_strerror));
  RETURN_IF_ERROR(Find(library, "curl_easy_pause", curl.easy_pause));
  RETURN_IF_ERROR(Find(library, "curl_slist_append", curl.slist_append));
  RETURN_IF_ERROR(Find(library, "curl_slist_free_all", curl.slist_free_all));
  RETURN_IF_ERROR(Find(library, "curl_multi_init", curl.multi_init));
  RETURN_IF_ERROR(Find(library, "curl_multi_cleanup", curl.multi_cleanup));
  RETURN_IF_ERROR(Find(library, "curl_multi_setopt", curl.multi_setopt));
  RETURN_IF_ERROR(Find(library, "curl_multi_add_handle", curl.multi_add_handle));
  RETURN_IF_ERROR(Find(library, "curl_multi_remove_handle", curl.multi_remove_handle));
  RETURN_IF_ERROR(Find(library, "curl_multi_perform", curl.multi_perform));
  RETURN_IF_ERROR(Find(library, "curl_multi_poll", curl.multi_poll));
  RETURN_IF_ERROR(Find(library, "curl_multi_wakeup", curl.multi_wakeup));
  RETURN_IF_ERROR(Find(library, "curl_multi_info_read", curl.multi_info_read));
  if (global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return absl::UnavailableError("cannot set up libcurl");
  return &curl;
}

}  // namespace

absl::StatusOr<const CurlLibrary*> CurlLibrary::Load() {
  static const absl::StatusOr<const CurlLibrary*> loaded = LoadOnce();
  return loaded;
}

}  // namespace toolgate::http
