// libpq, loaded when a store in PostgreSQL is opened: with what it links it costs a process 4 MB, and most have the
// embedded store.
#ifndef TOOLGATE_STORAGE_POSTGRES_LIBPQ_H_
#define TOOLGATE_STORAGE_POSTGRES_LIBPQ_H_

#include <postgresql/libpq-fe.h>

#include "absl/status/status.h"

namespace toolgate::storage::postgres {

// The functions of libpq that we use, under their own names.
struct Libpq {
  decltype(&::PQcancel) PQcancel = nullptr;
  decltype(&::PQclear) PQclear = nullptr;
  decltype(&::PQcmdStatus) PQcmdStatus = nullptr;
  decltype(&::PQcmdTuples) PQcmdTuples = nullptr;
  decltype(&::PQconnectPoll) PQconnectPoll = nullptr;
  decltype(&::PQconnectStartParams) PQconnectStartParams = nullptr;
  decltype(&::PQconsumeInput) PQconsumeInput = nullptr;
  decltype(&::PQenterPipelineMode) PQenterPipelineMode = nullptr;
  decltype(&::PQerrorMessage) PQerrorMessage = nullptr;
  decltype(&::PQfinish) PQfinish = nullptr;
  decltype(&::PQflush) PQflush = nullptr;
  decltype(&::PQfreeCancel) PQfreeCancel = nullptr;
  decltype(&::PQgetCancel) PQgetCancel = nullptr;
  decltype(&::PQgetResult) PQgetResult = nullptr;
  decltype(&::PQgetisnull) PQgetisnull = nullptr;
  decltype(&::PQgetlength) PQgetlength = nullptr;
  decltype(&::PQgetvalue) PQgetvalue = nullptr;
  decltype(&::PQisBusy) PQisBusy = nullptr;
  decltype(&::PQntuples) PQntuples = nullptr;
  decltype(&::PQpipelineSync) PQpipelineSync = nullptr;
  decltype(&::PQresultErrorField) PQresultErrorField = nullptr;
  decltype(&::PQresultErrorMessage) PQresultErrorMessage = nullptr;
  decltype(&::PQresultStatus) PQresultStatus = nullptr;
  decltype(&::PQsendPrepare) PQsendPrepare = nullptr;
  decltype(&::PQsendQueryParams) PQsendQueryParams = nullptr;
  decltype(&::PQsendQueryPrepared) PQsendQueryPrepared = nullptr;
  decltype(&::PQserverVersion) PQserverVersion = nullptr;
  decltype(&::PQsetNoticeReceiver) PQsetNoticeReceiver = nullptr;
  decltype(&::PQsetSingleRowMode) PQsetSingleRowMode = nullptr;
  decltype(&::PQsetnonblocking) PQsetnonblocking = nullptr;
  decltype(&::PQsocket) PQsocket = nullptr;
  decltype(&::PQstatus) PQstatus = nullptr;
  decltype(&::PQtransactionStatus) PQtransactionStatus = nullptr;
};

// UNAVAILABLE, with the remedy, if it cannot be loaded. Stays for as long as the process. Thread-safe.
absl::Status LoadLibpq();

// After LoadLibpq.
const Libpq& Pq();

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_LIBPQ_H_
