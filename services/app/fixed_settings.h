// What of a configuration holds for a process's life.
#ifndef TOOLGATE_SERVICES_APP_FIXED_SETTINGS_H_
#define TOOLGATE_SERVICES_APP_FIXED_SETTINGS_H_

#include <string>
#include <vector>

#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::app {

// The paths of the settings that differ between the two and that a reload cannot put in force: listeners, stores, and
// the sizes of what is made once.
std::vector<std::string> ChangedFixedSettings(const config::v1::Config& at_start, const config::v1::Config& now);

}  // namespace toolgate::services::app

#endif  // TOOLGATE_SERVICES_APP_FIXED_SETTINGS_H_
