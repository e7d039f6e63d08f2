#include "executors/images/images_tools.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/clock.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/images/image_fetcher.h"
#include "executors/images/images_defaults.h"
#include "executors/images/images_definitions.h"
#include "executors/models/chat_model.h"
#include "executors/providers/check_provider.h"
#include "executors/providers/provider.h"
#include "observability/sampled_metric.h"
#include "storage/blobs/open_blob_store.h"

namespace toolgate::executors::images {
namespace {

using providers::Provider;
using storage::blobs::BlobStore;

// As in the tool's definition, and so in limits and breakers.
constexpr char kProviderName[] = "image_model";
constexpr char kStoreSection[] = "images.store";

void CheckImages(const google::protobuf::Message& section, yaml::ReportProblem report) {
  ImagesSettings settings;
  settings.CopyFrom(section);
  providers::CheckProvider("images.provider", settings.provider(), report);
  storage::blobs::CheckBlobStore(settings.store(), kStoreSection, report);
  if (!settings.provider().base_url().empty() && settings.provider().model().empty()) {
    report("images.provider.model", "is empty; must name a model that makes images");
  }
}

absl::Status StoreNotConfigured(const absl::Status& status) {
  return MakeError(ErrorCode::kNotConfigured,
                   absl::StrCat("images cannot be stored: the blob store ", status.message()));
}

// Null: addresses are not followed.
std::unique_ptr<ImageFetcher> FetcherOf(const ImagesSettings& settings, const FamilyContext& context) {
  if (!settings.fetch_urls()) return nullptr;
  return std::make_unique<ImageFetcher>(
      http::Route{.proxy = settings.provider().proxy(), .ca_file = settings.provider().ca_file()},
      context.http_clients);
}

ToolHandlers Handlers(const std::shared_ptr<GenerateImage>& tool) {
  ToolHandlers handlers;
  handlers.id = "generate_image";
  handlers.run = EffectHandler([tool](ToolContext& call, EffectSession& session) { return tool->Run(call, session); });
  handlers.recover = [tool](ToolContext& call, EffectSession& session) { return tool->Recover(call, session); };
  return handlers;
}

void AddMetrics(const AddMetric& add, const std::shared_ptr<GenerateImage>& tool) {
  if (add == nullptr) return;
  observability::SampledMetric images{
      {"toolgate_images_total", "Images that were asked for, by how that ended.", {"outcome"}, {}},
      observability::SampledMetric::Kind::kCounter,
      [tool] { return tool->counts().values(); }};
  for (const std::string_view outcome : ImageCounts::kOutcomes) images.rows.rows.push_back({std::string(outcome)});
  add(std::move(images));
}

absl::StatusOr<FamilyTools> ImagesTools(const FamilyContext& context) {
  const ImagesSettings& settings = context.settings.GetExtension(ImagesSettings::images);
  ASSIGN_OR_RETURN(std::shared_ptr<Provider> provider, Provider::Create({.name = kProviderName,
                                                                         .key = providers::KeyForm::kBearer,
                                                                         .settings = settings.provider(),
                                                                         .section = "images.provider",
                                                                         .clients = context.http_clients,
                                                                         .on_failure = context.on_provider_failure},
                                                                        Clock::Real(), context.on_provider_call));
  absl::StatusOr<std::shared_ptr<BlobStore>> opened = storage::blobs::OpenBlobStore(
      settings.store(), context.data_dir, kStoreSection, context.http_clients, context.on_blob_operation);
  const absl::Status store_status = opened.status();
  const std::shared_ptr<BlobStore> store = opened.ok() ? *std::move(opened) : nullptr;
  const auto tool = std::make_shared<GenerateImage>(models::OpenAiChatModel(provider, models::OpenAiDialect::kOpenAi),
                                                    store, FetcherOf(settings, context), OptionsOf(settings));
  AddMetrics(context.add_metric, tool);
  FamilyTools tools;
  tools.handlers.push_back(Handlers(tool));
  tools.available = [provider, store, store_status](const Caller&) -> absl::Status {
    RETURN_IF_ERROR(provider->Configured());
    if (!store_status.ok()) return StoreNotConfigured(store_status);
    if (store == nullptr) return absl::OkStatus();
    const absl::Status configured = store->Configured();
    return configured.ok() ? configured : StoreNotConfigured(configured);
  };
  return tools;
}

}  // namespace

Family ImagesFamily() {
  FamilySettings settings = SettingsOf<ImagesSettings>(DefaultFiles().front());
  settings.check = CheckImages;
  return {"images", &DefinitionFiles(), ImagesTools, settings, {"image:generate"}};
}

GenerateImage::Options OptionsOf(const ImagesSettings& settings) {
  return {settings.provider().model(),
          {.max_bytes = settings.max_image_bytes(), .max_pixels = settings.max_pixels()},
          settings.max_inline_bytes()};
}

}  // namespace toolgate::executors::images
