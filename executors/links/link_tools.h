// Registration of the tools that link items across modules.
#ifndef TOOLGATE_EXECUTORS_LINKS_LINK_TOOLS_H_
#define TOOLGATE_EXECUTORS_LINKS_LINK_TOOLS_H_

#include "executors/family.h"

namespace toolgate::executors::links {

Family LinksFamily();

}  // namespace toolgate::executors::links

#endif  // TOOLGATE_EXECUTORS_LINKS_LINK_TOOLS_H_
