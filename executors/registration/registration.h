// The one list of everything that runs inside this binary.
#ifndef TOOLGATE_EXECUTORS_REGISTRATION_REGISTRATION_H_
#define TOOLGATE_EXECUTORS_REGISTRATION_REGISTRATION_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "executors/catalog.h"
#include "executors/family.h"

namespace toolgate::executors::registration {

std::vector<Family> BuiltInFamilies();

// MakeCatalog of BuiltInFamilies.
absl::StatusOr<std::shared_ptr<const Catalog>> BuiltInCatalog(const CatalogOptions& options = {});

}  // namespace toolgate::executors::registration

#endif  // TOOLGATE_EXECUTORS_REGISTRATION_REGISTRATION_H_
