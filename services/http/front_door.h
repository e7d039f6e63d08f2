// Decisions on a request whose body has not been read.
#ifndef TOOLGATE_SERVICES_HTTP_FRONT_DOOR_H_
#define TOOLGATE_SERVICES_HTTP_FRONT_DOOR_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/http/answer.h"
#include "services/http/origin_rules.h"
#include "services/http/request_head.h"
#include "services/http/routes.h"

namespace toolgate::services::http {

// Verdict on a request's head.
struct Admission {
  // The request's label in metrics: an index into FrontDoor::Labels().
  size_t label = 0;
  // Answered without a call: a refusal, a preflight, or health.
  std::optional<Answer> answer;
  // Otherwise the call.
  RouteMatch route;
  // Headers of every answer to this client (CORS).
  std::vector<std::pair<std::string, std::string>> headers;
};

// Which requests go in. Knows nothing of credentials, which a worker verifies. Thread-safe.
class FrontDoor {
 public:
  struct Limits {
    int64_t max_body_bytes = 0;
    int64_t max_header_bytes = 0;  // Of the target and all headers.
  };

  FrontDoor(const OriginRules::Options& origins, const Limits& limits) : origins_(origins), limits_(limits) {}

  // In this order: long heads (431) and ambiguous ones are refused (400), health is answered, then pages of foreign
  // origins (403), a service that stops (503), unknown paths (404), methods (405, and OPTIONS is answered), and bodies:
  // where none belongs (400), too long (413), of another type than JSON (415).
  Admission Admit(const RequestHead& head) const;

  // For a body that turned out to be too long.
  Answer TooLong() const;

  void SetReady(bool ready) { ready_ = ready; }
  void BeginDrain() { draining_ = true; }
  bool draining() const { return draining_; }

  // Labels of requests in metrics: "POST /v1/undo" and so on, in the order of Routes(), then health, then "other".
  static const std::vector<std::string>& Labels();

 private:
  // Each answers a request that ends there; `admission` takes what the others need.
  std::optional<Answer> AnswerWithoutCall(const RequestHead& head, Admission& admission) const;
  std::optional<Answer> CheckHead(const RequestHead& head) const;
  Answer Health(const RequestHead& head) const;
  std::optional<Answer> CheckOrigin(const RequestHead& head, Admission& admission) const;
  static std::optional<Answer> FindCall(const RequestHead& head, Admission& admission);
  static Answer Options(const RequestHead& head, const std::vector<std::string>& methods);
  std::optional<Answer> CheckBody(const RequestHead& head, const Route& route) const;

  const OriginRules origins_;
  const Limits limits_;
  std::atomic<bool> ready_{false};
  std::atomic<bool> draining_{false};
};

}  // namespace toolgate::services::http

#endif  // TOOLGATE_SERVICES_HTTP_FRONT_DOOR_H_
