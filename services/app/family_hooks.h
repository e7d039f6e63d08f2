// Connects the families of tools with a process whose core and metrics are made after them.
#ifndef TOOLGATE_SERVICES_APP_FAMILY_HOOKS_H_
#define TOOLGATE_SERVICES_APP_FAMILY_HOOKS_H_

#include <functional>
#include <memory>
#include <vector>

#include "executors/family.h"
#include "observability/logger.h"
#include "observability/metrics.h"
#include "observability/sampled_metric.h"
#include "services/core/core.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::app {

// Undo and reading on in a result ask who may use what; the answer is the core's, which needs the catalogue first. The
// metrics are made with the catalogue's names. Used by the thread that starts the service; what it hands out, by all.
class FamilyHooks {
 public:
  FamilyHooks();

  // Options of the catalogue. Borrows `logger`; `mask_secrets` is for what providers say. The metrics that families add
  // go into this, until TakeMetrics.
  executors::CatalogOptions OptionsOf(const toolgate::config::v1::Config& config, observability::Logger& logger,
                                      observability::LogMask mask_secrets);

  // Before the first call. Borrows both for as long as the catalogue lives.
  void Connect(std::function<std::shared_ptr<const core::Core>()> present_core, observability::Metrics& metrics);

  std::vector<observability::SampledMetric> TakeMetrics();

 private:
  // Of the process, which the options' functions share.
  struct Process {
    std::function<std::shared_ptr<const core::Core>()> present_core;
    observability::Metrics* metrics = nullptr;
  };

  const std::shared_ptr<Process> process_;
  std::vector<observability::SampledMetric> metrics_;
};

}  // namespace toolgate::services::app

#endif  // TOOLGATE_SERVICES_APP_FAMILY_HOOKS_H_
