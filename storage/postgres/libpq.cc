#include "storage/postgres/libpq.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"

namespace toolgate::storage::postgres {
namespace {

constexpr char kFile[] = "libpq.so.5";

Libpq& Functions() {
  static Libpq functions;
  return functions;
}

template <typename Function>
absl::Status Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr ? absl::OkStatus() : absl::UnavailableError(absl::StrCat(kFile, " has no ", name));
}

absl::Status LoadOnce() {
  void* const library = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("cannot load the client library of PostgreSQL: ", dlerror(), "; install libpq5"));
  }
  Libpq& pq = Functions();
  RETURN_IF_ERROR(Find(library, "PQcancel", pq.PQcancel));
  RETURN_IF_ERROR(Find(library, "PQclear", pq.PQclear));
  RETURN_IF_ERROR(Find(library, "PQcmdStatus", pq.PQcmdStatus));
  RETURN_IF_ERROR(Find(library, "PQcmdTuples", pq.PQcmdTuples));
  RETURN_IF_ERROR(Find(library, "PQconnectPoll", pq.PQconnectPoll));
  RETURN_IF_ERROR(Find(library, "PQconnectStartParams", pq.PQconnectStartParams));
  RETURN_IF_ERROR(Find(library, "PQconsumeInput", pq.PQconsumeInput));
  RETURN_IF_ERROR(Find(library, "PQenterPipelineMode", pq.PQenterPipelineMode));
  RETURN_IF_ERROR(Find(library, "PQerrorMessage", pq.PQerrorMessage));
  RETURN_IF_ERROR(Find(library, "PQfinish", pq.PQfinish));
  RETURN_IF_ERROR(Find(library, "PQflush", pq.PQflush));
  RETURN_IF_ERROR(Find(library, "PQfreeCancel", pq.PQfreeCancel));
  RETURN_IF_ERROR(Find(library, "PQgetCancel", pq.PQgetCancel));
  RETURN_IF_ERROR(Find(library, "PQgetResult", pq.PQgetResult));
  RETURN_IF_ERROR(Find(library, "PQgetisnull", pq.PQgetisnull));
  RETURN_IF_ERROR(Find(library, "PQgetlength", pq.PQgetlength));
  RETURN_IF_ERROR(Find(library, "PQgetvalue", pq.PQgetvalue));
  RETURN_IF_ERROR(Find(library, "PQisBusy", pq.PQisBusy));
  RETURN_IF_ERROR(Find(library, "PQntuples", pq.PQntuples));
  RETURN_IF_ERROR(Find(library, "PQpipelineSync", pq.PQpipelineSync));
  RETURN_IF_ERROR(Find(library, "PQresultErrorField", pq.PQresultErrorField));
  RETURN_IF_ERROR(Find(library, "PQresultErrorMessage", pq.PQresultErrorMessage));
  RETURN_IF_ERROR(Find(library, "PQresultStatus", pq.PQresultStatus));
  RETURN_IF_ERROR(Find(library, "PQsendPrepare", pq.PQsendPrepare));
  RETURN_IF_ERROR(Find(library, "PQsendQueryParams", pq.PQsendQueryParams));
  RETURN_IF_ERROR(Find(library, "PQsendQueryPrepared", pq.PQsendQueryPrepared));
  RETURN_IF_ERROR(Find(library, "PQserverVersion", pq.PQserverVersion));
  RETURN_IF_ERROR(Find(library, "PQsetNoticeReceiver", pq.PQsetNoticeReceiver));
  RETURN_IF_ERROR(Find(library, "PQsetSingleRowMode", pq.PQsetSingleRowMode));
  RETURN_IF_ERROR(Find(library, "PQsetnonblocking", pq.PQsetnonblocking));
  RETURN_IF_ERROR(Find(library, "PQsocket", pq.PQsocket));
  RETURN_IF_ERROR(Find(library, "PQstatus", pq.PQstatus));
  RETURN_IF_ERROR(Find(library, "PQtransactionStatus", pq.PQtransactionStatus));
  return absl::OkStatus();
}

}  // namespace

absl::Status LoadLibpq() {
  static const auto* const loaded = new absl::Status(LoadOnce());
  return *loaded;
}

const Libpq& Pq() { return Functions(); }

}  // namespace toolgate::storage::postgres
