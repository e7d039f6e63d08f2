// Removes internal details of the service from error messages.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_SCRUBBER_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_SCRUBBER_H_

#include <memory>
#include <string>
#include <string_view>

namespace toolgate::security::safe_errors {

// Replaces absolute file paths and paths in a home, source positions and qualified names, stack frames, SQL statements,
// memory addresses and internal host names. JSON pointers such as "/title" stay. For error messages, which are short:
// linear, but not free. Thread-safe.
class Scrubber {
 public:
  Scrubber();
  ~Scrubber();

  std::string Scrub(std::string_view text) const;

 private:
  struct Rules;
  std::unique_ptr<const Rules> rules_;
};

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_SCRUBBER_H_
