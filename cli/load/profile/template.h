// JSON text with placeholders, from which the arguments of calls are made.
#ifndef TOOLGATE_CLI_LOAD_PROFILE_TEMPLATE_H_
#define TOOLGATE_CLI_LOAD_PROFILE_TEMPLATE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/civil_time.h"
#include "cli/load/profile/pools.h"
#include "cli/load/schedule/random.h"

namespace toolgate::cli::load::profile {

// Values that a template may refer to. Borrows all references.
struct TemplateInput {
  schedule::Random& random;
  Pools& pools;
  int64_t call = 0;  // Number of the call in the run, from 0.
  std::string_view run;
  std::string_view workspace;
  std::string_view user;
  absl::CivilDay today;
};

// Returns the number of the pool with this name; a status if there is none.
using FindPool = std::function<absl::StatusOr<size_t>(std::string_view name)>;

// Appends the text of one placeholder; false if it has none.
using Generator = std::function<bool(const TemplateInput& input, std::string& out)>;

// Immutable. Placeholders are written "{{…}}", inside of a JSON string or in place of a value:
//
//   sequence             number of the call
//   integer 1 100        whole number, bounds included
//   choice low high      one of the words; a word with blanks is written in apostrophes
//   zipf low high        the same, the first word most often
//   uuid                 random UUID
//   words 5 20           5 to 20 words; `words 5`: exactly 5
//   text 1000            words of 1,000 bytes in all
//   date -30 30          day from 30 days ago to in 30 days, as 2026-03-02
//   id pages             id from the pool "pages"; `id pages zipf`: the first ones most often; `id pages last`
//   take pages           id from the pool, which leaves it, so that no other call gets it
//   run, workspace, user
class Template {
 public:
  // INVALID_ARGUMENT for an unknown placeholder, or if the expanded text would be no JSON object.
  static absl::StatusOr<Template> Parse(std::string_view text, const FindPool& find_pool);

  // Appends the arguments to `out`. Returns false if a pool is empty; `out` is then undefined.
  bool Expand(const TemplateInput& input, std::string& out) const;

  // True if every call has the same arguments.
  bool constant() const;

 private:
  struct Part {
    std::string literal;  // Before the generator.
    Generator generator;  // May be empty.
  };

  absl::Status Try() const;

  std::vector<Part> parts_;
};

}  // namespace toolgate::cli::load::profile

#endif  // TOOLGATE_CLI_LOAD_PROFILE_TEMPLATE_H_
