// The number of matches in the result of a listing.
#ifndef TOOLGATE_EXECUTORS_BLOCKS_LISTING_TOTAL_H_
#define TOOLGATE_EXECUTORS_BLOCKS_LISTING_TOTAL_H_

#include "common/json.h"

namespace toolgate::executors::blocks {

// Adds "totalCount" to a result; "totalIsLowerBound" if there may be more; and "lookedAt" if no more blocks than that
// were looked at. `Page`: storage::BlockPage or storage::SearchPage.
template <typename Page>
void PutTotal(const Page& page, Json& result) {
  result["totalCount"] = page.total;
  if (page.total_is_lower_bound) result["totalIsLowerBound"] = true;
  if (page.gave_up_after.has_value()) result["lookedAt"] = *page.gave_up_after;
}

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_LISTING_TOTAL_H_
