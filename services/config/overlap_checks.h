// Whether the folders in which tools work are apart from everything that the service itself relies on.
#ifndef TOOLGATE_SERVICES_CONFIG_OVERLAP_CHECKS_H_
#define TOOLGATE_SERVICES_CONFIG_OVERLAP_CHECKS_H_

#include <string>

#include "security/config_check.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::config {

// Reports each folder of workspaces ("files.root", "files.workspaces") that lies in another one, in the data directory
// or in a folder that a setting names, or that holds one of them, or a file, socket or program that a setting names, or
// the configuration file `file` (empty: there is none). A command could read the database and the keys in it otherwise,
// or put a program of its own in a place from which the service starts one. Looks at paths after following their
// symbolic links; what does not exist yet counts as it is written.
//
// A setting names a path if its own name ends in "_file", "_dir" or "folder", or is "ctags" or "bubblewrap", or if its
// value is an address "unix:/path".
void CheckOverlaps(const toolgate::config::v1::Config& config, const std::string& file, security::ReportProblem report);

}  // namespace toolgate::services::config

#endif  // TOOLGATE_SERVICES_CONFIG_OVERLAP_CHECKS_H_
