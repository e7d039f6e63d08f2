// GNU libmicrohttpd, loaded when an HTTP listener is configured: with the TLS library that it links, it costs a process
// some megabytes and milliseconds of start, and most serve gRPC alone.
#ifndef TOOLGATE_SERVICES_HTTP_MICROHTTPD_H_
#define TOOLGATE_SERVICES_HTTP_MICROHTTPD_H_

#include <microhttpd.h>

#include "absl/status/statusor.h"

namespace toolgate::services::http {

// The functions of the library that we use, under their own names without the prefix. Thread-safe.
struct Microhttpd {
  decltype(&::MHD_start_daemon) start_daemon = nullptr;
  decltype(&::MHD_stop_daemon) stop_daemon = nullptr;
  decltype(&::MHD_quiesce_daemon) quiesce_daemon = nullptr;
  decltype(&::MHD_suspend_connection) suspend_connection = nullptr;
  decltype(&::MHD_resume_connection) resume_connection = nullptr;
  decltype(&::MHD_get_connection_info) get_connection_info = nullptr;
  decltype(&::MHD_get_connection_values_n) get_connection_values_n = nullptr;
  decltype(&::MHD_create_response_from_buffer) create_response_from_buffer = nullptr;
  decltype(&::MHD_create_response_from_callback) create_response_from_callback = nullptr;
  decltype(&::MHD_add_response_header) add_response_header = nullptr;
  decltype(&::MHD_queue_response) queue_response = nullptr;
  decltype(&::MHD_destroy_response) destroy_response = nullptr;
  decltype(&::MHD_get_version) get_version = nullptr;

  // Whether the library can be told to take well-formed heads alone, as it can since 1.0. Before, it is lenient, and
  // heads are checked by raw_head.h.
  bool can_be_strict = false;

  // UNAVAILABLE when it cannot be loaded. Lives as long as the process.
  static absl::StatusOr<const Microhttpd*> Load();
};

}  // namespace toolgate::services::http

#endif  // TOOLGATE_SERVICES_HTTP_MICROHTTPD_H_
