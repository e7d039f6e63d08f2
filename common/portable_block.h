// Blocks on their way out of the service and in again.
#ifndef TOOLGATE_COMMON_PORTABLE_BLOCK_H_
#define TOOLGATE_COMMON_PORTABLE_BLOCK_H_

#include "toolgate/v1/data_service.pb.h"

namespace toolgate {

// Whether a row is no block, but brings further links of one that came before (kMaxRowLinksBytes).
inline bool IsMoreLinks(const v1::PortableBlock& row) {
  return row.type().empty() && row.parent_id().empty() && row.data_json().empty() && !row.links().empty();
}

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_PORTABLE_BLOCK_H_
