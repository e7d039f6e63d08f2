// Tells those who wait for something that it has happened.
#ifndef TOOLGATE_COORDINATION_SIGNALS_SIGNALS_H_
#define TOOLGATE_COORDINATION_SIGNALS_SIGNALS_H_

#include <string>
#include <string_view>
#include <utility>

#include "common/fibers/event.h"

namespace toolgate::coordination::signals {

// A signal has a subject, such as one confirmation (storage/signals.h names those of the store), and no content: its
// receiver looks at what has become of the subject. Thread-safe.
class Signals {
 public:
  virtual ~Signals() = default;

  // Sets the events of all that have subscribed to the subject, after what happened can be seen.
  virtual void Send(std::string_view subject) = 0;

 protected:
  friend class Subscription;
  virtual void Add(const std::string& subject, fibers::Event& event) = 0;
  virtual void Remove(const std::string& subject, fibers::Event& event) = 0;
};

// While it lives, signals about the subject set the event. Borrows both others.
class Subscription {
 public:
  Subscription(Signals& signals, std::string subject, fibers::Event& event)
      : signals_(signals), subject_(std::move(subject)), event_(event) {
    signals_.Add(subject_, event_);
  }
  ~Subscription() { signals_.Remove(subject_, event_); }
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

 private:
  Signals& signals_;
  const std::string subject_;
  fibers::Event& event_;
};

}  // namespace toolgate::coordination::signals

#endif  // TOOLGATE_COORDINATION_SIGNALS_SIGNALS_H_
