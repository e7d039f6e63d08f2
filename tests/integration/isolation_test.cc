// No call of one workspace reads, changes, undoes, decides or audits anything of another, whatever ids it knows.
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "executors/chat/settings.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/test_server.h"
#include "tests/support/token_forge.h"
#include "toolgate/v1/chat_service.grpc.pb.h"

namespace toolgate {
namespace {

using ::testing::Contains;
using testing::ErrorInfoOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeJwt;
using ::testing::Not;
using testing::SigningKey;
using testing::TempDir;
using testing::TestServer;

constexpr std::string_view kSecretTitle = "Plans of workspace A";
constexpr int kMaxResultBytes = 32'768;

// Callers are identified by tokens; each is administrator of its own workspace, with every permission that "*" grants.
class WorkspaceIsolationTest : public ::testing::Test {
 protected:
  WorkspaceIsolationTest()
      : server_([this](config::v1::Config& config) {
          const std::string keys = dir_.path() + "/keys.json";
          std::ofstream(keys) << DumpJson(Json{{"keys", {key_.Jwk()}}});
          (*config.mutable_identity()->mutable_roles())["admin"].add_permissions("*");
          (*config.mutable_identity()->mutable_roles())["operator"].add_permissions("system:*");
          config.mutable_execution_tracking()->set_max_result_bytes(kMaxResultBytes);
          AddModel(*config.mutable_families()->MutableExtension(executors::chat::ChatSettings::chat));
          config::v1::Jwt& jwt = *config.mutable_identity()->mutable_jwt();
          jwt.set_issuer("issuer");
          jwt.add_audiences("toolgate");
          jwt.set_jwks_file(keys);
        }),
        admin_(v1::AdminService::NewStub(server_.channel())),
        data_(v1::DataService::NewStub(server_.channel())),
        instructions_(v1::InstructionService::NewStub(server_.channel())),
        chats_(v1::ChatService::NewStub(server_.channel())) {
    FillA();
  }

  // One that nobody serves: a conversation is stored before its model is asked.
  static void AddModel(executors::chat::ChatSettings& settings) {
    executors::chat::ChatModelSettings& model = *settings.add_models();
    model.set_name("nobody");
    model.set_api(executors::chat::CHAT_API_OPENAI);
    model.mutable_provider()->set_base_url("http://127.0.0.1:1/v1");
    model.mutable_provider()->set_keyless(true);
    settings.mutable_provider()->set_max_attempts(1);
  }
  // The events of one chat, and how it ended.
  std::pair<std::vector<v1::ChatResponse>, grpc::Status> Chat(const std::string& workspace, const std::string& text) {
    grpc::ClientContext context;
    As(workspace, context);
    v1::ChatRequest request;
    request.mutable_caller()->set_conversation_id("talk");
    request.set_message(text);
    const auto stream = chats_->Chat(&context, request);
    std::vector<v1::ChatResponse> events;
    for (v1::ChatResponse event; stream->Read(&event);) events.push_back(event);
    return {events, stream->Finish()};
  }
  v1::GetConversationResponse Conversation(const std::string& workspace) {
    grpc::ClientContext context;
    As(workspace, context);
    v1::GetConversationRequest request;
    request.set_conversation_id("talk");
    v1::GetConversationResponse response;
    last_ = chats_->GetConversation(&context, request, &response);
    return response;
  }

  std::string Token(const std::string& workspace, const std::string& role = "admin") {
    return MakeJwt(key_, "ES256", Json::object(),
                   {{"iss", "issuer"},
                    {"aud", "toolgate"},
                    {"exp", absl::ToUnixSeconds(absl::Now()) + 600},
                    {"workspace", workspace},
                    {"sub", "ann"},  // The same user id in both workspaces.
                    {"roles", {role}}});
  }
  void As(const std::string& workspace, grpc::ClientContext& context) {
    context.AddMetadata("authorization", "Bearer " + Token(workspace));
  }
  v1::ExecuteResponse Execute(const std::string& workspace, std::string_view tool, const Json& arguments,
                              const std::string& key = "", const std::string& confirmation = "") {
    grpc::ClientContext context;
    As(workspace, context);
    v1::ExecuteRequest request;
    request.set_tool_id(std::string(tool));
    request.set_arguments_json(DumpJson(arguments));
    request.set_idempotency_key(key);
    request.set_confirmation_token(confirmation);
    v1::ExecuteResponse response;
    last_ = server_.tools().Execute(&context, request, &response);
    return response;
  }
  Json MustRun(const std::string& workspace, std::string_view tool, const Json& arguments,
               const std::string& key = "") {
    const v1::ExecuteResponse response = Execute(workspace, tool, arguments, key);
    EXPECT_TRUE(last_.ok()) << last_.error_message();
    EXPECT_TRUE(response.result().success()) << response.DebugString();
    return ParseJson(response.result().data_json()).value_or(Json());
  }
  // A call that requires confirmation.
  void Confirm(const std::string& workspace, std::string_view tool, const Json& arguments) {
    const std::string token = Execute(workspace, tool, arguments).confirmation_request().token();
    EXPECT_TRUE(Execute(workspace, tool, arguments, "", token).result().success()) << tool;
  }
  // Answers to callers of B must not contain anything of A.
  void ExpectNothingOfA(const google::protobuf::Message& message) {
    const std::string text = message.ShortDebugString();
    EXPECT_THAT(text, Not(HasSubstr(std::string(kSecretTitle)))) << message.GetTypeName();
    EXPECT_THAT(text, Not(HasSubstr("\"a\""))) << "workspace a in " << message.GetTypeName();
  }

  std::string InstructionOf(const std::string& workspace) {
    grpc::ClientContext context;
    As(workspace, context);
    v1::GetInstructionResponse response;
    EXPECT_TRUE(instructions_->GetInstruction(&context, {}, &response).ok());
    return response.DebugString();
  }

  // Something of every kind that has an id, and a memory.
  void FillA() {
    page_ = MustRun("a", "create_block", {{"type", "page"}, {"data", {{"title", kSecretTitle}}}}, "key-1")["blockId"];
    board_ = MustRun("a", "create_block", {{"type", "kanban_board"}, {"data", {{"title", "Board A"}}}})["blockId"];
    column_ = MustRun("a", "create_block",
                      {{"type", "kanban_column"}, {"parentId", board_}, {"data", {{"title", "Column A"}}}})["blockId"];
    card_ = MustRun("a", "kanban_create_card", {{"columnId", column_}, {"title", kSecretTitle}})["cardId"];
    event_ = MustRun("a", "calendar_create_event",
                     {{"title", kSecretTitle}, {"date", "today"}, {"recurrence", "FREQ=DAILY"}})["eventId"];
    note_ = MustRun("a", "notes_create", {{"title", kSecretTitle}, {"eventLinks", {event_}}})["noteId"];
    Confirm("a", "db_query",
            {{"sql", absl::StrCat("CREATE TABLE ai_secrets AS SELECT '", std::string(kSecretTitle), "' AS s")}});
    entry_ = MustRun("a", "journal_create", {{"title", kSecretTitle}, {"date", "today"}})["entryId"];
    MustRun("a", "save_memory", {{"memory", kSecretTitle}});
    task_ = MustRun("a", "create_task", {{"title", "Task A"}})["taskId"];
    database_ = MustRun("a", "create_block", {{"type", "database"}, {"data", {{"title", "Base A"}}}})["blockId"];
    continuation_ =
        Execute("a", "create_block", {{"type", "paragraph"}, {"data", {{"content", std::string(40'000, 'a')}}}})
            .result()
            .continuation();
    ASSERT_NE(continuation_, "");
    Chat("a", std::string(kSecretTitle));
    ASSERT_EQ(Conversation("a").messages_size(), 1) << last_.error_message();
    const v1::ExecuteResponse asked = Execute("a", "delete_block", {{"blockId", page_}});
    ASSERT_TRUE(asked.has_confirmation_request()) << last_.error_message() << asked.DebugString();
    confirmation_ = asked.confirmation_request();
    const auto entries = UndoEntries("a");
    ASSERT_FALSE(entries.entries().empty());
    undo_ = entries.entries(0).id();
    const auto audit = Audit("a");
    ASSERT_FALSE(audit.entries().empty());
    audit_entry_ = audit.entries(0).id();
  }
  v1::ListUndoEntriesResponse UndoEntries(const std::string& workspace) {
    grpc::ClientContext context;
    As(workspace, context);
    v1::ListUndoEntriesResponse response;
    EXPECT_TRUE(server_.tools().ListUndoEntries(&context, {}, &response).ok());
    return response;
  }
  v1::ReadResultResponse ReadResult(const std::string& workspace) {
    grpc::ClientContext context;
    As(workspace, context);
    v1::ReadResultRequest request;
    request.set_continuation(continuation_);
    v1::ReadResultResponse response;
    EXPECT_TRUE(server_.tools().ReadResult(&context, request, &response).ok());
    return response;
  }
  v1::SearchEntriesResponse Audit(const std::string& workspace, const v1::SearchEntriesRequest& filters = {}) {
    grpc::ClientContext context;
    As(workspace, context);
    v1::SearchEntriesRequest request = filters;
    request.set_page_size(500);
    v1::SearchEntriesResponse response;
    EXPECT_TRUE(server_.audit().SearchEntries(&context, request, &response).ok());
    return response;
  }
  std::string Export(const std::string& workspace, const std::string& root = "") {
    grpc::ClientContext context;
    As(workspace, context);
    v1::ExportBlocksRequest request;
    request.set_root_id(root);
    const auto reader = data_->ExportBlocks(&context, request);
    std::string all;
    v1::ExportBlocksResponse response;
    while (reader->Read(&response)) all += response.DebugString();
    last_ = reader->Finish();
    return all;
  }
  grpc::Status Import(const std::string& workspace, const v1::ImportBlocksRequest& request) {
    grpc::ClientContext context;
    As(workspace, context);
    const auto stream = data_->ImportBlocks(&context);
    stream->Write(request);
    stream->WritesDone();
    v1::ImportBlocksResponse response;
    while (stream->Read(&response)) {
    }
    return stream->Finish();
  }
  v1::ListConfirmationsResponse Confirmations(const std::string& workspace) {
    grpc::ClientContext context;
    As(workspace, context);
    v1::ListConfirmationsResponse response;
    EXPECT_TRUE(server_.tools().ListConfirmations(&context, {}, &response).ok());
    return response;
  }

  // By full method name: attacks on A by B, which knows all of A's ids.
  std::map<std::string, std::function<void()>> Attacks();
  void AttackWithTools(const std::function<void(std::string_view, const Json&)>& attack);

  const SigningKey key_ = SigningKey::Ec("P-256");
  TempDir dir_;
  TestServer server_;
  std::unique_ptr<v1::AdminService::Stub> admin_;
  std::unique_ptr<v1::DataService::Stub> data_;
  std::unique_ptr<v1::InstructionService::Stub> instructions_;
  std::unique_ptr<v1::ChatService::Stub> chats_;
  grpc::Status last_;
  std::string page_, board_, column_, card_, event_, note_, entry_, task_, database_, undo_, audit_entry_;
  std::string continuation_;
  v1::ConfirmationRequest confirmation_;
};

void WorkspaceIsolationTest::AttackWithTools(const std::function<void(std::string_view, const Json&)>& attack) {
  attack("get_block", {{"blockId", page_}, {"includeChildren", true}});
  attack("update_block", {{"blockId", page_}, {"data", {{"title", "taken"}}}});
  attack("delete_block", {{"blockId", page_}});
  attack("create_block", {{"type", "page"}, {"parentId", page_}, {"data", {{"title", "planted"}}}});
  attack("create_task", {{"title", "planted"}, {"boardId", board_}});
  attack("update_task_status", {{"taskId", task_}, {"status", "done"}});
  attack("add_property", {{"databaseId", database_}, {"name", "planted"}, {"type", "text"}});
  attack("query_database", {{"databaseId", database_}});
  attack("trigger_automation", {{"automationId", page_}});
  attack("search_workspace", {{"query", "workspace"}});
  attack("list_tasks", Json::object());
  attack("kanban_list_boards", Json::object());
  attack("kanban_list_cards", Json::object());
  attack("kanban_list_cards", {{"boardId", board_}});
  attack("kanban_create_card", {{"columnId", column_}, {"title", "planted"}});
  attack("kanban_update_card", {{"cardId", card_}, {"title", "taken"}});
  attack("kanban_move_card", {{"cardId", card_}, {"columnId", column_}});
  attack("kanban_delete_card", {{"cardId", card_}});
  attack("calendar_list_events", {{"dateFrom", "today"}, {"dateTo", "+1w"}});
  attack("calendar_update_event", {{"eventId", event_}, {"title", "taken"}});
  attack("calendar_delete_event", {{"eventId", event_}, {"scope", "all"}});
  attack("notes_search", {{"q", std::string(kSecretTitle)}});
  attack("notes_create", {{"title", "planted"}, {"parentId", note_}});
  attack("notes_update", {{"noteId", note_}, {"title", "taken"}});
  attack("notes_delete", {{"noteId", note_}});
  attack("journal_list", Json::object());
  attack("journal_get", {{"entryId", entry_}});
  attack("journal_update", {{"entryId", entry_}, {"title", "taken"}});
  attack("journal_delete", {{"entryId", entry_}});
  attack("items_link", {{"fromItemId", note_}, {"fromItemType", "note"}, {"toItemId", entry_}, {"toItemType", "log"}});
  attack("items_unlink", {{"fromItemId", note_}, {"toItemId", event_}});
  attack("items_list_links", {{"itemId", event_}});
  attack("daily_overview", Json::object());
  attack("db_query", {{"sql", "SELECT * FROM ai_secrets"}});
}

std::map<std::string, std::function<void()>> WorkspaceIsolationTest::Attacks() {
  return {
      {"toolgate.v1.ToolService.Execute",
       [this] {
         AttackWithTools([this](std::string_view tool, const Json& arguments) {
           const v1::ExecuteResponse response = Execute("b", tool, arguments);
           ExpectNothingOfA(response);
           static const std::set<std::string_view> kLists = {
               "search_workspace", "list_tasks",   "kanban_list_boards", "calendar_list_events",
               "notes_search",     "journal_list", "daily_overview"};
           const bool lists = kLists.contains(tool) || (tool == "kanban_list_cards" && !arguments.contains("boardId"));
           EXPECT_EQ(response.result().success(), lists) << tool << response.DebugString();
         });
         // A's approval and A's idempotency key are invalid in B.
         EXPECT_FALSE(Execute("b", "delete_block", {{"blockId", page_}}, "", confirmation_.token()).result().success());
         const v1::ExecuteResponse same_key = Execute(
             "b", "create_block", {{"type", "page"}, {"data", {{"title", std::string(kSecretTitle)}}}}, "key-1");
         EXPECT_FALSE(same_key.result().replayed());
         EXPECT_THAT(same_key.DebugString(), Not(HasSubstr(page_)));
       }},
      {"toolgate.v1.ToolService.ExecuteStream",
       [this] {
         AttackWithTools([this](std::string_view tool, const Json& arguments) {
           grpc::ClientContext context;
           As("b", context);
           v1::ExecuteStreamRequest request;
           request.mutable_request()->set_tool_id(std::string(tool));
           request.mutable_request()->set_arguments_json(DumpJson(arguments));
           const auto reader = server_.tools().ExecuteStream(&context, request);
           v1::ExecuteStreamResponse event;
           while (reader->Read(&event)) EXPECT_THAT(event.DebugString(), Not(HasSubstr("Board A"))) << tool;
           reader->Finish();
         });
       }},
      {"toolgate.v1.ToolService.ListTools",
       [this] {
         grpc::ClientContext context;
         As("b", context);
         v1::ListToolsResponse response;
         EXPECT_TRUE(server_.tools().ListTools(&context, {}, &response).ok());
         ExpectNothingOfA(response);
       }},
      {"toolgate.v1.ToolService.Undo",
       [this] {
         for (const std::string& entry : {undo_, std::string()}) {
           grpc::ClientContext context;
           As("b", context);
           v1::UndoRequest request;
           request.set_entry_id(entry);
           // Named by A's id, and unnamed: B's own page of the attack above must be the one that is affected.
           request.set_dry_run(entry.empty());
           v1::UndoResponse response;
           EXPECT_TRUE(server_.tools().Undo(&context, request, &response).ok());
           if (!entry.empty()) {
             EXPECT_FALSE(response.result().success()) << response.DebugString();
           }
           EXPECT_THAT(response.result().affected_block_ids(), Not(Contains(page_)));
         }
       }},
      {"toolgate.v1.ToolService.ReadResult",
       [this] {
         EXPECT_TRUE(ReadResult("a").result().success());
         const v1::ReadResultResponse response = ReadResult("b");
         EXPECT_EQ(response.result().error().code(), "NOT_FOUND") << response.DebugString();
         EXPECT_EQ(response.result().data_json(), "");
       }},
      {"toolgate.v1.ToolService.ListUndoEntries",
       [this] {
         const auto listed = UndoEntries("b");
         for (const auto& entry : listed.entries()) {
           EXPECT_NE(entry.id(), undo_);
           EXPECT_THAT(entry.affected_block_ids(), Not(Contains(page_)));
         }
       }},
      {"toolgate.v1.ToolService.ListConfirmations",
       [this] { EXPECT_THAT(Confirmations("b").confirmations(), IsEmpty()); }},
      {"toolgate.v1.ToolService.DecideConfirmation",
       [this] {
         for (const bool approve : {true, false}) {
           grpc::ClientContext context;
           As("b", context);
           v1::DecideConfirmationRequest request;
           request.set_confirmation_id(confirmation_.confirmation_id());
           request.set_approve(approve);
           v1::DecideConfirmationResponse response;
           const grpc::Status status = server_.tools().DecideConfirmation(&context, request, &response);
           EXPECT_EQ(ErrorInfoOf(status).reason(), "NOT_FOUND");
         }
       }},
      {"toolgate.v1.ToolService.WaitConfirmation",
       [this] {
         grpc::ClientContext context;
         As("b", context);
         v1::WaitConfirmationRequest request;
         request.set_confirmation_id(confirmation_.confirmation_id());
         v1::WaitConfirmationResponse response;
         const grpc::Status status = server_.tools().WaitConfirmation(&context, request, &response);
         EXPECT_EQ(ErrorInfoOf(status).reason(), "NOT_FOUND");
       }},
      {"toolgate.v1.AuditService.SearchEntries",
       [this] {
         std::vector<v1::SearchEntriesRequest> searches(5);
         searches[1].set_block_id(page_);
         searches[2].set_text(std::string(kSecretTitle));
         searches[3].set_user_id("ann");
         searches[4].set_tool_id("create_block");
         for (const auto& search : searches) {
           const auto found = Audit("b", search);
           for (const v1::AuditEntry& entry : found.entries()) {
             EXPECT_EQ(entry.workspace_id(), "b");
             EXPECT_NE(entry.id(), audit_entry_);
           }
         }
       }},
      {"toolgate.v1.AuditService.GetEntry",
       [this] {
         grpc::ClientContext context;
         As("b", context);
         v1::GetEntryRequest request;
         request.set_entry_id(audit_entry_);
         v1::GetEntryResponse response;
         EXPECT_EQ(ErrorInfoOf(server_.audit().GetEntry(&context, request, &response)).reason(), "NOT_FOUND");
         ExpectNothingOfA(response);
       }},
      {"toolgate.v1.AuditService.VerifyChain",
       [this] {
         const size_t own = static_cast<size_t>(Audit("b").entries_size());
         grpc::ClientContext context;
         As("b", context);
         v1::VerifyChainResponse response;
         EXPECT_TRUE(server_.audit().VerifyChain(&context, {}, &response).ok());
         EXPECT_TRUE(response.valid());
         EXPECT_GE(static_cast<size_t>(response.entries_checked()), own);
         EXPECT_LE(static_cast<size_t>(response.entries_checked()), own + 1) << "its own entries only";
       }},
      {"toolgate.v1.DataService.ExportBlocks",
       [this] {
         EXPECT_THAT(Export("b"), Not(HasSubstr(page_)));
         EXPECT_EQ(Export("b", page_), "");
         EXPECT_EQ(ErrorInfoOf(last_).reason(), "NOT_FOUND");
       }},
      {"toolgate.v1.DataService.ImportBlocks",
       [this] {
         v1::ImportBlocksRequest under;
         under.set_root_id(page_);
         under.add_blocks()->set_type("page");
         under.mutable_blocks(0)->set_data_json(R"({"title":"planted"})");
         EXPECT_FALSE(Import("b", under).ok()) << "A's page is no parent in B";
         // The same id may exist in two workspaces; the import makes C's block and leaves A's alone.
         v1::ImportBlocksRequest over;
         over.add_blocks()->set_type("page");
         over.mutable_blocks(0)->set_id(page_);
         over.mutable_blocks(0)->set_data_json(R"({"title":"taken"})");
         EXPECT_TRUE(Import("c", over).ok());
       }},
      {"toolgate.v1.DataService.Backup",
       [this] {
         grpc::ClientContext context;
         As("b", context);
         const auto reader = data_->Backup(&context, {});
         v1::BackupResponse response;
         EXPECT_FALSE(reader->Read(&response)) << "a backup holds every workspace";
         EXPECT_EQ(ErrorInfoOf(reader->Finish()).reason(), "FORBIDDEN");
       }},
      {"toolgate.v1.AdminService.ListBreakers",
       [this] {
         grpc::ClientContext context;
         As("b", context);
         v1::ListBreakersResponse response;
         EXPECT_TRUE(admin_->ListBreakers(&context, {}, &response).ok());
         ExpectNothingOfA(response);
       }},
      {"toolgate.v1.AdminService.ResetBreaker",
       [this] {
         grpc::ClientContext context;
         As("b", context);
         v1::ResetBreakerRequest request;
         request.set_name("tool:create_block");
         v1::ResetBreakerResponse response;
         EXPECT_EQ(ErrorInfoOf(admin_->ResetBreaker(&context, request, &response)).reason(), "FORBIDDEN")
             << "breakers are shared by all workspaces";
       }},
      {"toolgate.v1.AdminService.ReloadCatalog",
       [this] {
         grpc::ClientContext context;
         As("b", context);
         v1::ReloadCatalogResponse response;
         EXPECT_EQ(ErrorInfoOf(admin_->ReloadCatalog(&context, {}, &response)).reason(), "FORBIDDEN")
             << "the catalogue is shared by all workspaces";
       }},
      {"toolgate.v1.AdminService.GetQuotaUsage",
       [this] {
         grpc::ClientContext context;
         As("c", context);  // A workspace without any use of its own.
         v1::GetQuotaUsageRequest request;
         request.set_user_id("ann");
         v1::GetQuotaUsageResponse response;
         EXPECT_TRUE(admin_->GetQuotaUsage(&context, request, &response).ok());
         EXPECT_THAT(response.usages(), IsEmpty());
       }},
      // A and B are the same user id in two workspaces.
      {"toolgate.v1.InstructionService.GetInstruction",
       [this] { EXPECT_THAT(InstructionOf("b"), Not(HasSubstr(std::string(kSecretTitle)))); }},
      {"toolgate.v1.InstructionService.UpdateInstruction",
       [this] {
         grpc::ClientContext context;
         As("b", context);
         v1::UpdateInstructionRequest request;
         request.set_core_instruction("planted");
         request.set_memory_enabled(false);
         v1::UpdateInstructionResponse response;
         EXPECT_TRUE(instructions_->UpdateInstruction(&context, request, &response).ok());
         ExpectNothingOfA(response);
         EXPECT_THAT(InstructionOf("a"), Not(HasSubstr("planted")));
       }},
      {"toolgate.v1.InstructionService.BuildPrompt",
       [this] {
         grpc::ClientContext context;
         As("b", context);
         v1::BuildPromptResponse response;
         EXPECT_TRUE(instructions_->BuildPrompt(&context, {}, &response).ok());
         ExpectNothingOfA(response);
       }},
      {"toolgate.v1.ChatService.Chat",
       [this] {
         const auto [events, status] = Chat("b", "");
         EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND) << status.error_message();
         EXPECT_TRUE(events.empty());
       }},
      {"toolgate.v1.ChatService.GetConversation",
       [this] {
         ExpectNothingOfA(Conversation("b"));
         EXPECT_EQ(last_.error_code(), grpc::StatusCode::NOT_FOUND);
       }},
      {"toolgate.v1.ChatService.ListConversations",
       [this] {
         grpc::ClientContext context;
         As("b", context);
         v1::ListConversationsResponse response;
         EXPECT_TRUE(chats_->ListConversations(&context, {}, &response).ok());
         EXPECT_EQ(response.conversations_size(), 0);
       }},
      {"toolgate.v1.ChatService.DeleteConversation",
       [this] {
         grpc::ClientContext context;
         As("b", context);
         v1::DeleteConversationRequest request;
         request.set_conversation_id("talk");
         v1::DeleteConversationResponse response;
         EXPECT_TRUE(chats_->DeleteConversation(&context, request, &response).ok());
         EXPECT_FALSE(response.deleted());
         EXPECT_EQ(Conversation("a").messages_size(), 1);
       }},
  };
}

TEST_F(WorkspaceIsolationTest, EveryRpcKeepsToTheCallersWorkspace) {
  const std::string blocks = Export("a");
  const std::string undo = UndoEntries("a").DebugString();
  const std::string instruction = InstructionOf("a");
  const std::string confirmations = Confirmations("a").DebugString();
  std::set<std::string> attacked;
  for (const auto& [method, attack] : Attacks()) {
    SCOPED_TRACE(method);
    attack();
    attacked.insert(method);
  }
  // Every new RPC needs an attack here.
  const auto& pool = *google::protobuf::DescriptorPool::generated_pool();
  for (const char* name :
       {"ToolService", "AuditService", "DataService", "AdminService", "InstructionService", "ChatService"}) {
    const auto* service = pool.FindServiceByName(absl::StrCat("toolgate.v1.", name));
    ASSERT_NE(service, nullptr) << name;
    for (int i = 0; i < service->method_count(); ++i) {
      EXPECT_THAT(attacked, Contains(service->method(i)->full_name()));
    }
  }
  EXPECT_EQ(Export("a"), blocks) << "nothing was changed, added or deleted";
  EXPECT_EQ(UndoEntries("a").DebugString(), undo);
  EXPECT_EQ(InstructionOf("a"), instruction);
  EXPECT_EQ(Confirmations("a").DebugString(), confirmations) << "nothing was decided";
  const auto log = Audit("a");
  for (const v1::AuditEntry& entry : log.entries()) {
    EXPECT_EQ(entry.workspace_id(), "a");
    EXPECT_THAT(entry.params_json(), Not(HasSubstr("planted"))) << "what B tried stands in B's log";
  }
}

TEST_F(WorkspaceIsolationTest, AClaimOfAnotherWorkspaceIsRefusedAtEveryDoor) {
  v1::Caller claim;
  claim.set_workspace_id("a");
  const auto refused = [&](const std::string& rpc, const grpc::Status& status) {
    EXPECT_EQ(ErrorInfoOf(status).reason(), "FORBIDDEN") << rpc;
    EXPECT_THAT(status.error_message(), HasSubstr("caller.workspace_id")) << rpc;
  };
  const auto unary = [&](const std::string& rpc, auto* stub, auto method, auto request, auto response) {
    grpc::ClientContext context;
    As("b", context);
    *request.mutable_caller() = claim;
    refused(rpc, (stub->*method)(&context, request, &response));
  };
  v1::ToolService::Stub* const tools = &server_.tools();
  v1::AuditService::Stub* const audit = &server_.audit();
  unary("Execute", tools, &v1::ToolService::Stub::Execute, TestServer::Request("get_block", "{}"),
        v1::ExecuteResponse());
  unary("ListTools", tools, &v1::ToolService::Stub::ListTools, v1::ListToolsRequest(), v1::ListToolsResponse());
  unary("Undo", tools, &v1::ToolService::Stub::Undo, v1::UndoRequest(), v1::UndoResponse());
  unary("ReadResult", tools, &v1::ToolService::Stub::ReadResult, v1::ReadResultRequest(), v1::ReadResultResponse());
  unary("ListUndoEntries", tools, &v1::ToolService::Stub::ListUndoEntries, v1::ListUndoEntriesRequest(),
        v1::ListUndoEntriesResponse());
  unary("ListConfirmations", tools, &v1::ToolService::Stub::ListConfirmations, v1::ListConfirmationsRequest(),
        v1::ListConfirmationsResponse());
  unary("DecideConfirmation", tools, &v1::ToolService::Stub::DecideConfirmation, v1::DecideConfirmationRequest(),
        v1::DecideConfirmationResponse());
  unary("WaitConfirmation", tools, &v1::ToolService::Stub::WaitConfirmation, v1::WaitConfirmationRequest(),
        v1::WaitConfirmationResponse());
  unary("SearchEntries", audit, &v1::AuditService::Stub::SearchEntries, v1::SearchEntriesRequest(),
        v1::SearchEntriesResponse());
  unary("GetEntry", audit, &v1::AuditService::Stub::GetEntry, v1::GetEntryRequest(), v1::GetEntryResponse());
  unary("VerifyChain", audit, &v1::AuditService::Stub::VerifyChain, v1::VerifyChainRequest(),
        v1::VerifyChainResponse());
  unary("ListBreakers", admin_.get(), &v1::AdminService::Stub::ListBreakers, v1::ListBreakersRequest(),
        v1::ListBreakersResponse());
  unary("ResetBreaker", admin_.get(), &v1::AdminService::Stub::ResetBreaker, v1::ResetBreakerRequest(),
        v1::ResetBreakerResponse());
  unary("GetQuotaUsage", admin_.get(), &v1::AdminService::Stub::GetQuotaUsage, v1::GetQuotaUsageRequest(),
        v1::GetQuotaUsageResponse());
  unary("GetInstruction", instructions_.get(), &v1::InstructionService::Stub::GetInstruction,
        v1::GetInstructionRequest(), v1::GetInstructionResponse());
  unary("UpdateInstruction", instructions_.get(), &v1::InstructionService::Stub::UpdateInstruction,
        v1::UpdateInstructionRequest(), v1::UpdateInstructionResponse());
  unary("BuildPrompt", instructions_.get(), &v1::InstructionService::Stub::BuildPrompt, v1::BuildPromptRequest(),
        v1::BuildPromptResponse());
  unary("ListConversations", chats_.get(), &v1::ChatService::Stub::ListConversations, v1::ListConversationsRequest(),
        v1::ListConversationsResponse());
  unary("GetConversation", chats_.get(), &v1::ChatService::Stub::GetConversation, v1::GetConversationRequest(),
        v1::GetConversationResponse());
  unary("DeleteConversation", chats_.get(), &v1::ChatService::Stub::DeleteConversation, v1::DeleteConversationRequest(),
        v1::DeleteConversationResponse());
  grpc::ClientContext chat_context;
  As("b", chat_context);
  v1::ChatRequest chat_request;
  *chat_request.mutable_caller() = claim;
  refused("Chat", chats_->Chat(&chat_context, chat_request)->Finish());
  v1::ImportBlocksRequest import;
  *import.mutable_caller() = claim;
  refused("ImportBlocks", Import("b", import));
  grpc::ClientContext export_context;
  As("b", export_context);
  v1::ExportBlocksRequest export_request;
  *export_request.mutable_caller() = claim;
  refused("ExportBlocks", data_->ExportBlocks(&export_context, export_request)->Finish());
  grpc::ClientContext backup_context;
  As("b", backup_context);
  v1::BackupRequest backup_request;
  *backup_request.mutable_caller() = claim;
  refused("Backup", data_->Backup(&backup_context, backup_request)->Finish());
  grpc::ClientContext stream_context;
  As("b", stream_context);
  v1::ExecuteStreamRequest stream_request;
  *stream_request.mutable_request() = TestServer::Request("get_block", "{}");
  *stream_request.mutable_request()->mutable_caller() = claim;
  refused("ExecuteStream", server_.tools().ExecuteStream(&stream_context, stream_request)->Finish());
}

TEST_F(WorkspaceIsolationTest, EveryDoorWantsAPermissionAndCredentials) {
  struct Door {
    std::string rpc;
    std::function<grpc::Status(grpc::ClientContext&)> open;
  };
  const auto unary = [](auto* stub, auto method, auto request, auto response) {
    return [=](grpc::ClientContext& context) mutable { return (stub->*method)(&context, request, &response); };
  };
  v1::ToolService::Stub* const tools = &server_.tools();
  v1::AuditService::Stub* const audit = &server_.audit();
  v1::ExecuteRequest execute;
  execute.set_tool_id("list_tasks");
  std::vector<Door> doors = {
      {"Execute", unary(tools, &v1::ToolService::Stub::Execute, execute, v1::ExecuteResponse())},
      {"Undo", unary(tools, &v1::ToolService::Stub::Undo, v1::UndoRequest(), v1::UndoResponse())},
      {"ReadResult",
       unary(tools, &v1::ToolService::Stub::ReadResult, v1::ReadResultRequest(), v1::ReadResultResponse())},
      {"ListConfirmations", unary(tools, &v1::ToolService::Stub::ListConfirmations, v1::ListConfirmationsRequest(),
                                  v1::ListConfirmationsResponse())},
      {"DecideConfirmation", unary(tools, &v1::ToolService::Stub::DecideConfirmation, v1::DecideConfirmationRequest(),
                                   v1::DecideConfirmationResponse())},
      {"SearchEntries",
       unary(audit, &v1::AuditService::Stub::SearchEntries, v1::SearchEntriesRequest(), v1::SearchEntriesResponse())},
      {"GetEntry", unary(audit, &v1::AuditService::Stub::GetEntry, v1::GetEntryRequest(), v1::GetEntryResponse())},
      {"VerifyChain",
       unary(audit, &v1::AuditService::Stub::VerifyChain, v1::VerifyChainRequest(), v1::VerifyChainResponse())},
      {"ListBreakers", unary(admin_.get(), &v1::AdminService::Stub::ListBreakers, v1::ListBreakersRequest(),
                             v1::ListBreakersResponse())},
      {"ResetBreaker", unary(admin_.get(), &v1::AdminService::Stub::ResetBreaker, v1::ResetBreakerRequest(),
                             v1::ResetBreakerResponse())},
      {"GetInstruction", unary(instructions_.get(), &v1::InstructionService::Stub::GetInstruction,
                               v1::GetInstructionRequest(), v1::GetInstructionResponse())},
      {"UpdateInstruction", unary(instructions_.get(), &v1::InstructionService::Stub::UpdateInstruction,
                                  v1::UpdateInstructionRequest(), v1::UpdateInstructionResponse())},
      {"BuildPrompt", unary(instructions_.get(), &v1::InstructionService::Stub::BuildPrompt, v1::BuildPromptRequest(),
                            v1::BuildPromptResponse())},
      {"Chat", [this](grpc::ClientContext& context) { return chats_->Chat(&context, {})->Finish(); }},
      {"ListConversations", unary(chats_.get(), &v1::ChatService::Stub::ListConversations,
                                  v1::ListConversationsRequest(), v1::ListConversationsResponse())},
      {"GetConversation", unary(chats_.get(), &v1::ChatService::Stub::GetConversation, v1::GetConversationRequest(),
                                v1::GetConversationResponse())},
      {"DeleteConversation", unary(chats_.get(), &v1::ChatService::Stub::DeleteConversation,
                                   v1::DeleteConversationRequest(), v1::DeleteConversationResponse())},
      {"ExportBlocks", [this](grpc::ClientContext& context) { return data_->ExportBlocks(&context, {})->Finish(); }},
      {"Backup", [this](grpc::ClientContext& context) { return data_->Backup(&context, {})->Finish(); }},
      {"ImportBlocks",
       [this](grpc::ClientContext& context) {
         const auto stream = data_->ImportBlocks(&context);
         stream->Write({});
         stream->WritesDone();
         return stream->Finish();
       }},
  };
  for (const Door& door : doors) {
    grpc::ClientContext anonymous;
    EXPECT_EQ(ErrorInfoOf(door.open(anonymous)).reason(), "UNAUTHORIZED") << door.rpc;
    grpc::ClientContext nobody;
    nobody.AddMetadata("authorization", "Bearer " + Token("a", "no-such-role"));
    EXPECT_EQ(ErrorInfoOf(door.open(nobody)).reason(), "FORBIDDEN") << door.rpc;
  }
  // These only show what a caller may use, or its own data; they still require credentials.
  doors = {
      {"ListTools", unary(tools, &v1::ToolService::Stub::ListTools, v1::ListToolsRequest(), v1::ListToolsResponse())},
      {"ListUndoEntries", unary(tools, &v1::ToolService::Stub::ListUndoEntries, v1::ListUndoEntriesRequest(),
                                v1::ListUndoEntriesResponse())},
      {"WaitConfirmation", unary(tools, &v1::ToolService::Stub::WaitConfirmation, v1::WaitConfirmationRequest(),
                                 v1::WaitConfirmationResponse())},
      {"GetQuotaUsage", unary(admin_.get(), &v1::AdminService::Stub::GetQuotaUsage, v1::GetQuotaUsageRequest(),
                              v1::GetQuotaUsageResponse())}};
  for (const Door& door : doors) {
    grpc::ClientContext anonymous;
    EXPECT_EQ(ErrorInfoOf(door.open(anonymous)).reason(), "UNAUTHORIZED") << door.rpc;
  }
}

TEST_F(WorkspaceIsolationTest, AnOperatorMayTakeABackup) {
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer " + Token("ops", "operator"));
  const auto reader = data_->Backup(&context, {});
  v1::BackupResponse response;
  EXPECT_TRUE(reader->Read(&response));
  while (reader->Read(&response)) {
  }
  EXPECT_TRUE(reader->Finish().ok());
}

}  // namespace
}  // namespace toolgate
