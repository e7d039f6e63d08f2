#include "executors/providers/provider.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/api_key.h"
#include "common/fibers/event.h"
#include "common/http/retries.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/providers/attempt.h"
#include "executors/providers/check_provider.h"
#include "executors/providers/failure.h"

namespace toolgate::executors::providers {
namespace {

// Hands out the body of an attempt that has its head.
class AttemptStream final : public ProviderStream {
 public:
  // `body`: the whole, if it has been read already.
  AttemptStream(std::unique_ptr<Attempt> attempt, std::optional<std::string> body)
      : attempt_(std::move(attempt)), body_(std::move(body)) {}

  const http::ResponseHead& head() const override { return attempt_->head(); }
  absl::StatusOr<std::string> Next(fibers::Wait wait) override {
    if (body_.has_value()) return std::exchange(*body_, "");
    return attempt_->Next(wait);
  }
  observability::tracing::ClientSpan& span() override { return attempt_->span(); }

 private:
  const std::unique_ptr<Attempt> attempt_;
  std::optional<std::string> body_;
};

std::string VariableName(const ProviderSettings& settings) {
  return absl::StrCat("the environment variable ", settings.api_key_env());
}

std::optional<http::Header> KeyHeader(KeyForm form, const std::string& key) {
  switch (form) {
    case KeyForm::kNone:
      return std::nullopt;
    case KeyForm::kBearer:
      return http::Header{"Authorization", absl::StrCat("Bearer ", key)};
    case KeyForm::kXApiKey:
      return http::Header{"x-api-key", key};
    case KeyForm::kXGoogApiKey:
      return http::Header{"x-goog-api-key", key};
  }
  return std::nullopt;
}

// Lets the time pass, unless the call has to stop.
absl::Status Pause(absl::Duration delay, fibers::Wait wait) {
  fibers::Event never;
  return wait(never, delay).status();
}

class HttpProvider final : public Provider {
 public:
  HttpProvider(Options options, const Clock& clock, observability::OnProviderCall on_call)
      : options_(std::move(options)),
        clock_(clock),
        on_call_(std::move(on_call)),
        key_(options_.settings.api_key_file(), options_.settings.api_key_env()),
        retries_(options_.settings.max_attempts(), clock) {}

  absl::Status Configured() const override;
  absl::StatusOr<http::Response> Send(const ProviderRequest& request, Scope& scope) override;
  absl::StatusOr<std::unique_ptr<ProviderStream>> Open(const ProviderRequest& request, Scope& scope) override;
  const std::string& name() const override { return options_.name; }
  const ProviderSettings& settings() const override { return options_.settings; }

 private:
  // Brings an attempt as far as the request needs it.
  using Advance = absl::FunctionRef<absl::Status(Attempt& attempt)>;

  bool NeedsKey() const { return options_.key != KeyForm::kNone && !options_.settings.keyless(); }
  // The key, or an empty text where none is needed.
  absl::StatusOr<std::string> Key() const;
  absl::Status NotConfigured(const std::vector<std::string>& missing) const;
  std::string MissingKey(const absl::Status& problem) const;
  std::string Setting(std::string_view field) const { return absl::StrCat(options_.section, ".", ToAbsl(field)); }

  // An attempt whose body has been read.
  absl::StatusOr<std::unique_ptr<Attempt>> TryWhole(const ProviderRequest& request, Scope& scope, std::string& body);
  // Tries until an attempt succeeds or none may follow, and answers the last one.
  absl::StatusOr<std::unique_ptr<Attempt>> Try(const ProviderRequest& request, Scope& scope, Advance advance);
  // `status`, the error of an attempt, in the words that the request has for its HTTP status.
  absl::Status Explained(const ProviderRequest& request, int http_status, const std::optional<Failure>& failure,
                         const absl::Status& status) const;
  http::Request RequestFor(const ProviderRequest& request, const std::string& key) const;
  absl::StatusOr<http::Client*> Client() const;

  const Options options_;
  const Clock& clock_;
  const observability::OnProviderCall on_call_;
  const ApiKey key_;
  http::Retries retries_;
};

absl::Status HttpProvider::Configured() const { return Key().status(); }

absl::StatusOr<std::string> HttpProvider::Key() const {
  std::vector<std::string> missing;
  if (options_.settings.base_url().empty()) missing.push_back(Setting("base_url"));
  absl::StatusOr<std::string> key = NeedsKey() ? key_.Read() : std::string();
  if (!key.ok()) missing.push_back(MissingKey(key.status()));
  if (!missing.empty()) return NotConfigured(missing);
  return key;
}

std::string HttpProvider::MissingKey(const absl::Status& problem) const {
  const ProviderSettings& settings = options_.settings;
  if (!settings.api_key_file().empty()) {
    return absl::StrCat("a key in the file that ", Setting("api_key_file"), " names, which ", problem.message());
  }
  if (settings.api_key_env().empty()) return absl::StrCat(Setting("api_key_env"), " or ", Setting("api_key_file"));
  if (absl::IsNotFound(problem)) return VariableName(settings);
  return absl::StrCat(VariableName(settings), ", which ", problem.message());
}

absl::Status HttpProvider::NotConfigured(const std::vector<std::string>& missing) const {
  return MakeError(ErrorCode::kNotConfigured, absl::StrCat("provider ", options_.name, " is not configured: set ",
                                                           absl::StrJoin(missing, " and ")));
}

absl::StatusOr<http::Response> HttpProvider::Send(const ProviderRequest& request, Scope& scope) {
  std::string body;
  ASSIGN_OR_RETURN(const std::unique_ptr<Attempt> attempt, TryWhole(request, scope, body));
  return http::Response{.head = attempt->head(), .body = std::move(body)};
}

absl::StatusOr<std::unique_ptr<ProviderStream>> HttpProvider::Open(const ProviderRequest& request, Scope& scope) {
  std::optional<std::string> body;
  std::unique_ptr<Attempt> attempt;
  if (request.whole) {
    ASSIGN_OR_RETURN(attempt, TryWhole(request, scope, body.emplace()));
  } else {
    const auto await_head = [&scope](Attempt& opened) { return opened.AwaitHead(scope.wait); };
    ASSIGN_OR_RETURN(attempt, Try(request, scope, await_head));
  }
  return std::make_unique<AttemptStream>(std::move(attempt), std::move(body));
}

absl::StatusOr<std::unique_ptr<Attempt>> HttpProvider::TryWhole(const ProviderRequest& request, Scope& scope,
                                                                std::string& body) {
  const auto read_all = [&body, &scope](Attempt& attempt) -> absl::Status {
    RETURN_IF_ERROR(attempt.AwaitHead(scope.wait));
    body.clear();
    while (true) {
      ASSIGN_OR_RETURN(const std::string piece, attempt.Next(scope.wait));
      if (piece.empty()) return absl::OkStatus();
      body += piece;
    }
  };
  return Try(request, scope, read_all);
}

absl::Status HttpProvider::Explained(const ProviderRequest& request, int http_status,
                                     const std::optional<Failure>& failure, const absl::Status& status) const {
  if (!failure.has_value()) return status;
  ToolError error = failure->error;
  const auto say = [&](std::string_view text) {
    error.message = absl::StrCat(options_.name, " ", ToAbsl(text), " (HTTP status ", http_status, ")");
    return ToStatus(error);
  };
  for (const StatusMeaning& meaning : request.meanings) {
    if (meaning.status != http_status) continue;
    error.blame = Blame::kByCode;
    return say(meaning.text);
  }
  // Nothing of a key where none is sent.
  if (!NeedsKey() && http_status == 401) return say("wants a key, and is configured to need none");
  if (!NeedsKey() && http_status == 403) return say("refused the request");
  return status;
}

absl::StatusOr<std::unique_ptr<Attempt>> HttpProvider::Try(const ProviderRequest& request, Scope& scope,
                                                           Advance advance) {
  ASSIGN_OR_RETURN(const std::string key, Key());
  ASSIGN_OR_RETURN(http::Client* const client, Client());
  const AttemptObservers observers{options_.name, clock_, on_call_, options_.on_failure};
  retries_.CountRequest();
  for (int number = 1;; ++number) {
    auto attempt = std::make_unique<Attempt>(observers, *client, RequestFor(request, key), scope.span,
                                             request.span_name, number - 1);
    for (const auto& [name, value] : request.span_attributes) attempt->span().Set(name, value);
    const absl::Status status = advance(*attempt);
    if (status.ok()) return attempt;
    const std::optional<Failure> failure = attempt->failure();
    const absl::Status error = Explained(request, attempt->head().status, failure, status);
    const std::optional<absl::Duration> pause =
        failure.has_value()
            ? retries_.PauseBefore(number + 1, failure->repeat, request.repeatable, failure->error.retry_after)
            : std::nullopt;
    attempt.reset();  // Its connection and its span end before the pause.
    if (!pause.has_value()) return error;
    RETURN_IF_ERROR(Pause(*pause, scope.wait));
    if (scope.retries != nullptr) ++*scope.retries;
  }
}

http::Request HttpProvider::RequestFor(const ProviderRequest& request, const std::string& key) const {
  const ProviderSettings& settings = options_.settings;
  http::Request sent{.method = request.method,
                     .url = absl::StrCat(settings.base_url(), request.path),
                     .headers = request.headers,
                     .body = request.body,
                     .timeout = FromProtoDuration(settings.timeout()),
                     .connect_timeout = FromProtoDuration(settings.connect_timeout()),
                     // A model may think for as long as it is given before its first word.
                     .idle_timeout = FromProtoDuration(settings.timeout()),
                     .max_body_bytes = settings.max_response_bytes(),
                     .private_addresses = true};
  const KeyForm form = NeedsKey() ? options_.key : KeyForm::kNone;
  if (auto header = KeyHeader(form, key); header.has_value()) sent.headers.push_back(*std::move(header));
  return sent;
}

absl::StatusOr<http::Client*> HttpProvider::Client() const {
  absl::StatusOr<http::Client*> client =
      options_.clients->ClientFor({.proxy = options_.settings.proxy(), .ca_file = options_.settings.ca_file()});
  if (client.ok()) return client;
  if (options_.on_failure != nullptr) options_.on_failure(options_.name, FromAbsl(client.status().message()));
  return MakeError(ErrorCode::kExecutionError, absl::StrCat(options_.name, " cannot be asked from this service"));
}

}  // namespace

absl::StatusOr<std::shared_ptr<Provider>> Provider::Create(Options options, const Clock& clock,
                                                           observability::OnProviderCall on_call) {
  std::vector<std::string> problems;
  CheckProvider(options.section, options.settings, [&problems](std::string_view path, std::string_view what) {
    problems.push_back(absl::StrCat(ToAbsl(path), ": ", ToAbsl(what)));
  });
  if (!problems.empty()) return absl::InvalidArgumentError(absl::StrJoin(problems, "; "));
  return std::make_shared<HttpProvider>(std::move(options), clock, std::move(on_call));
}

}  // namespace toolgate::executors::providers
