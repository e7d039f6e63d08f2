// A service with two tools more, whose calls wait for something outside until they are released:
//
//   waiting_server DATA_DIR
//
// Prints "address HOST:PORT", then obeys lines of its input: "count" prints how many calls wait, "release" lets them go
// on. Ends with its input.
#include <iostream>
#include <string>
#include <vector>

#include "executors/registration/registration.h"
#include "observability/logger.h"
#include "services/app/application.h"
#include "services/config/config.h"
#include "tests/support/memory_sink.h"
#include "tests/support/outside_tool.h"

namespace toolgate {
namespace {

int Serve(const std::string& data_dir) {
  testing::OutsideWorld world;
  testing::MemorySink sink;
  observability::Logger logger(sink, Clock::Real(), observability::LogLevel::kWarning, observability::LogFormat::kJson);
  std::vector<executors::Family> families = executors::registration::BuiltInFamilies();
  families.push_back(testing::OutsideFamily(world));
  auto config = services::config::Load(
      {.listen = "127.0.0.1:0", .metrics_listen = "off", .data_dir = data_dir, .families = &families});
  if (!config.ok()) {
    std::cerr << config.status() << "\n";
    return 1;
  }
  auto started = services::app::Application::Start(*config, {logger, Clock::Real(), IdSource::Real(), &families});
  if (!started.ok()) {
    std::cerr << started.status() << "\n";
    return 1;
  }
  std::cout << "address " << (*started)->address() << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "count") std::cout << world.waiting() << std::endl;
    if (line == "release") world.Release();
  }
  world.Release();
  return (*started)->Stop().ok() ? 0 : 1;
}

}  // namespace
}  // namespace toolgate

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: waiting_server DATA_DIR\n";
    return 2;
  }
  return toolgate::Serve(argv[1]);
}
