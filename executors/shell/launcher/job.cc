#include "executors/shell/launcher/job.h"

namespace toolgate::executors::shell::launcher {
namespace {

void AppendText(std::string& texts, const std::string& text) {
  texts += text;
  texts += '\0';
}

}  // namespace

std::string EncodeJob(Job job, const JobTexts& texts) {
  std::string all;
  AppendText(all, texts.scratch_folder);
  for (const std::string& path : texts.hidden) AppendText(all, path);
  for (const Guard& guard : texts.guards) {
    AppendText(all, guard.path);
    AppendText(all, static_cast<char>(guard.kind) + guard.content);
  }
  for (const auto& [name, content] : texts.etc_files) {
    AppendText(all, name);
    AppendText(all, content);
  }
  for (const std::string& argument : texts.arguments) AppendText(all, argument);
  job.hidden = static_cast<uint32_t>(texts.hidden.size());
  job.guards = static_cast<uint32_t>(texts.guards.size());
  job.etc_files = static_cast<uint32_t>(texts.etc_files.size());
  job.arguments = static_cast<uint32_t>(texts.arguments.size());
  job.text_bytes = static_cast<uint32_t>(all.size());
  return std::string(reinterpret_cast<const char*>(&job), sizeof(job)) + all;
}

}  // namespace toolgate::executors::shell::launcher
