// Label values of the process's metrics.
#ifndef TOOLGATE_SERVICES_APP_METRIC_LABELS_H_
#define TOOLGATE_SERVICES_APP_METRIC_LABELS_H_

#include "executors/catalog.h"
#include "observability/metrics.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::app {

// Tools and providers of `catalog`, providers of `config`, and what the program itself fixes.
observability::MetricsOptions MetricLabels(const executors::Catalog& catalog,
                                           const toolgate::config::v1::Config& config);

}  // namespace toolgate::services::app

#endif  // TOOLGATE_SERVICES_APP_METRIC_LABELS_H_
