#include "storage/postgres/errors.h"

#include <array>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/absl_bridge.h"
#include "storage/fault.h"
#include "storage/postgres/libpq.h"

namespace toolgate::storage::postgres {
namespace {

constexpr char kSqlState[] = "type.googleapis.com/toolgate.storage.postgres.SqlState";
constexpr char kLost[] = "lost";  // In the place of a code.

absl::Status WithState(absl::Status status, std::string_view state) {
  status.SetPayload(kSqlState, absl::Cord(ToAbsl(state)));
  return MarkFault(std::move(status));
}

// Classes and codes of PostgreSQL's appendix A.
absl::StatusCode CodeOf(std::string_view state) {
  if (state == "40001" || state == "40P01") return absl::StatusCode::kAborted;
  if (state == "55P03" || state == "57014" || state == "25P03" || state == "25006") {
    return absl::StatusCode::kUnavailable;
  }
  if (state.starts_with("08") || state.starts_with("53") || state.starts_with("57P")) {
    return absl::StatusCode::kUnavailable;
  }
  if (state == "XX001" || state == "XX002") return absl::StatusCode::kDataLoss;
  return absl::StatusCode::kInternal;
}

std::string_view RemedyOf(std::string_view state) {
  if (state == "55P03") return "; another transaction holds a lock for too long";
  if (state == "57014") return "; the statement took longer than it may";
  if (state == "53100") return "; free space on the server's disk";
  if (state == "53300") return "; raise max_connections of the server, or lower storage.postgres.pool_size";
  if (state == "25006") return "; name the primary server, for example with target_session_attrs=read-write";
  if (state == "42501") return "; the user must own the schema \"toolgate\"";
  return "";
}

struct ConnectRemedy {
  const char* sign;  // In libpq's message.
  const char* remedy;
};

constexpr std::array kConnectRemedies = {
    ConnectRemedy{"password authentication failed", "correct storage.postgres.user, or the password"},
    ConnectRemedy{"no password supplied", "name the password's file in storage.postgres.password_file"},
    ConnectRemedy{"no pg_hba.conf entry",
                  "allow this user, database and host in the server's pg_hba.conf; if it says "
                  "\"no encryption\", set storage.postgres.tls.mode"},
    ConnectRemedy{"certificate verify failed",
                  "name the certificate of the server's authority in "
                  "storage.postgres.tls.root_certificate_file"},
    ConnectRemedy{"root certificate file", "name a readable certificate in storage.postgres.tls.root_certificate_file"},
    ConnectRemedy{"does not match host name", "use the host name that the server's certificate names"},
    ConnectRemedy{"server does not support SSL",
                  "switch TLS on in the server, or set storage.postgres.tls.mode to "
                  "\"disable\""},
    ConnectRemedy{"role \"", "create the user, or correct storage.postgres.user"},
    ConnectRemedy{"database \"", "create it with createdb, or correct storage.postgres.database"},
    ConnectRemedy{"too many clients", "raise max_connections of the server, or lower storage.postgres.pool_size"},
    ConnectRemedy{"remaining connection slots",
                  "raise max_connections of the server, or lower "
                  "storage.postgres.pool_size"},
    ConnectRemedy{"Connection refused", "start the server, or correct storage.postgres.host and port"},
    ConnectRemedy{"could not translate host name", "correct storage.postgres.host"},
    ConnectRemedy{"No such file or directory", "start the server, or correct storage.postgres.host"},
};

}  // namespace

absl::Status StatusOf(const PGresult* result) {
  const char* const state = Pq().PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* const primary = Pq().PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  if (state == nullptr) {
    const char* const message = Pq().PQresultErrorMessage(result);
    return LostConnection(message == nullptr ? "" : message);
  }
  return WithState(absl::Status(CodeOf(state), absl::StrCat("PostgreSQL: ", primary == nullptr ? "" : primary, " (",
                                                            state, ")", ToAbsl(RemedyOf(state)))),
                   state);
}

absl::Status LostConnection(std::string_view why) {
  return WithState(absl::UnavailableError(
                       absl::StrCat("the connection to PostgreSQL is lost: ", absl::StripAsciiWhitespace(ToAbsl(why)))),
                   kLost);
}

absl::Status CannotConnect(std::string_view place, std::string_view why) {
  std::string message =
      absl::StrCat("cannot connect to PostgreSQL at ", ToAbsl(place), ": ", absl::StripAsciiWhitespace(ToAbsl(why)));
  for (const ConnectRemedy& known : kConnectRemedies) {
    if (!absl::StrContains(ToAbsl(why), known.sign)) continue;
    absl::StrAppend(&message, "; ", known.remedy);
    break;
  }
  return WithState(absl::UnavailableError(message), kLost);
}

std::string SqlStateOf(const absl::Status& status) {
  const auto state = status.GetPayload(kSqlState);
  return !state.has_value() || *state == kLost ? "" : std::string(*state);
}

bool IsLost(const absl::Status& status) {
  const auto state = status.GetPayload(kSqlState);
  // A server that stops, and one that ends a session, say so before they close the connection.
  return state.has_value() && (*state == kLost || absl::StartsWith(std::string(*state), "57P"));
}

bool IsTransient(const absl::Status& status) {
  return absl::IsAborted(status) ? !SqlStateOf(status).empty() : IsLost(status);
}

}  // namespace toolgate::storage::postgres
