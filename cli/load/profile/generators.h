// Generators of template placeholders.
#ifndef TOOLGATE_CLI_LOAD_PROFILE_GENERATORS_H_
#define TOOLGATE_CLI_LOAD_PROFILE_GENERATORS_H_

#include <cstddef>
#include <string>

#include "cli/load/schedule/random.h"

namespace toolgate::cli::load::profile {

// Appends `count` common English words, separated by blanks.
void AppendWords(size_t count, schedule::Random& random, std::string& out);

// Appends words of `bytes` bytes in all.
void AppendText(size_t bytes, schedule::Random& random, std::string& out);

// Appends a version 4 UUID. From the random numbers of the run: repeatable, and no secret.
void AppendUuid(schedule::Random& random, std::string& out);

}  // namespace toolgate::cli::load::profile

#endif  // TOOLGATE_CLI_LOAD_PROFILE_GENERATORS_H_
