// libcurl, loaded when it is first needed: with what it links it costs a process 5 MB and some milliseconds of start,
// and most never fetch anything.
#ifndef TOOLGATE_COMMON_HTTP_CURL_LIBRARY_H_
#define TOOLGATE_COMMON_HTTP_CURL_LIBRARY_H_

#include <curl/curl.h>

#include "absl/status/statusor.h"

namespace toolgate::http {

// The functions of libcurl that we use, under their own names without the prefix. Thread-safe.
struct CurlLibrary {
  decltype(&::curl_easy_init) easy_init = nullptr;
  decltype(&::curl_easy_cleanup) easy_cleanup = nullptr;
  // Checks no types: a number is passed as a long, a switch too.
  CURLcode (*easy_setopt)(CURL*, CURLoption, ...) = nullptr;
  decltype(&::curl_easy_perform) easy_perform = nullptr;
  CURLcode (*easy_getinfo)(CURL*, CURLINFO, ...) = nullptr;
  decltype(&::curl_easy_strerror) easy_strerror = nullptr;
  decltype(&::curl_easy_pause) easy_pause = nullptr;
  decltype(&::curl_slist_append) slist_append = nullptr;
  decltype(&::curl_slist_free_all) slist_free_all = nullptr;
  decltype(&::curl_multi_init) multi_init = nullptr;
  decltype(&::curl_multi_cleanup) multi_cleanup = nullptr;
  // As easy_setopt.
  CURLMcode (*multi_setopt)(CURLM*, CURLMoption, ...) = nullptr;
  decltype(&::curl_multi_add_handle) multi_add_handle = nullptr;
  decltype(&::curl_multi_remove_handle) multi_remove_handle = nullptr;
  decltype(&::curl_multi_perform) multi_perform = nullptr;
  decltype(&::curl_multi_poll) multi_poll = nullptr;
  decltype(&::curl_multi_wakeup) multi_wakeup = nullptr;
  decltype(&::curl_multi_info_read) multi_info_read = nullptr;

  // UNAVAILABLE when it cannot be loaded. Lives as long as the process.
  static absl::StatusOr<const CurlLibrary*> Load();
};

}  // namespace toolgate::http

#endif  // TOOLGATE_COMMON_HTTP_CURL_LIBRARY_H_
