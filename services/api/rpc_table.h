// Every RPC of toolgate's own services, and the permissions that its calls need.
#ifndef TOOLGATE_SERVICES_API_RPC_TABLE_H_
#define TOOLGATE_SERVICES_API_RPC_TABLE_H_

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace toolgate::services::api {

// The RPCs in the order of kRpcTable. One without a row there does not compile.
enum class Rpc : size_t {
  kExecute,
  kExecuteStream,
  kListTools,
  kUndo,
  kReadResult,
  kListUndoEntries,
  kListConfirmations,
  kDecideConfirmation,
  kWaitConfirmation,
  kSearchEntries,
  kGetEntry,
  kVerifyChain,
  kImportBlocks,
  kExportBlocks,
  kBackup,
  kListBreakers,
  kResetBreaker,
  kReloadCatalog,
  kGetQuotaUsage,
  kGetInstruction,
  kUpdateInstruction,
  kBuildPrompt,
  kChat,
  kListConversations,
  kGetConversation,
  kDeleteConversation,
  kCount,  // Not an RPC; stays last.
};

// The permissions that every call of an RPC needs. There is no default: a row says which of the three holds.
class RpcPermissions {
 public:
  // All of these, at most two.
  template <typename... Names>
  static constexpr RpcPermissions AllOf(Names... names) {
    static_assert(sizeof...(names) > 0, "an RPC that needs no permission says why: OfItsTool or AnyKnownCaller");
    return RpcPermissions({names...}, sizeof...(names), /*of_its_tool=*/false);
  }
  // Permissions of the tool that the RPC calls. The pipeline authorises, audits and counts such a call.
  static constexpr RpcPermissions OfItsTool() { return RpcPermissions({}, 0, /*of_its_tool=*/true); }
  // None beyond good credentials, since the RPC is about nothing but `what`.
  static constexpr RpcPermissions AnyKnownCaller(std::string_view what) {
    RpcPermissions permissions({}, 0, /*of_its_tool=*/false);
    permissions.reason_ = what;
    return permissions;
  }

  constexpr std::span<const std::string_view> names() const { return std::span(names_).first(count_); }
  constexpr bool of_its_tool() const { return of_its_tool_; }
  constexpr std::string_view reason() const { return reason_; }

 private:
  using Names = std::array<std::string_view, 2>;
  constexpr RpcPermissions(const Names& names, size_t count, bool of_its_tool)
      : names_(names), count_(count), of_its_tool_(of_its_tool) {}

  Names names_;
  size_t count_;
  bool of_its_tool_;
  std::string_view reason_;
};

struct RpcRow {
  Rpc rpc;
  std::string_view type;     // As gRPC's metrics name it: "unary", "server_stream", "bidi_stream".
  std::string_view service;  // Full name.
  std::string_view method;
  RpcPermissions permissions;
};

inline constexpr std::string_view kToolServiceName = "toolgate.v1.ToolService";
inline constexpr std::string_view kAuditServiceName = "toolgate.v1.AuditService";
inline constexpr std::string_view kDataServiceName = "toolgate.v1.DataService";
inline constexpr std::string_view kAdminServiceName = "toolgate.v1.AdminService";
inline constexpr std::string_view kInstructionServiceName = "toolgate.v1.InstructionService";
inline constexpr std::string_view kChatServiceName = "toolgate.v1.ChatService";

// docs/permissions.md shows the permissions.
inline constexpr std::array<RpcRow, static_cast<size_t>(Rpc::kCount)> kRpcTable = {{
    {Rpc::kExecute, "unary", kToolServiceName, "Execute", RpcPermissions::OfItsTool()},
    {Rpc::kExecuteStream, "server_stream", kToolServiceName, "ExecuteStream", RpcPermissions::OfItsTool()},
    {Rpc::kListTools, "unary", kToolServiceName, "ListTools",
     RpcPermissions::AnyKnownCaller("the tools that the caller may use")},
    {Rpc::kUndo, "unary", kToolServiceName, "Undo", RpcPermissions::OfItsTool()},
    {Rpc::kReadResult, "unary", kToolServiceName, "ReadResult", RpcPermissions::OfItsTool()},
    {Rpc::kListUndoEntries, "unary", kToolServiceName, "ListUndoEntries",
     RpcPermissions::AnyKnownCaller("the caller's own changes")},
    {Rpc::kListConfirmations, "unary", kToolServiceName, "ListConfirmations",
     RpcPermissions::AllOf("confirmation:decide")},
    {Rpc::kDecideConfirmation, "unary", kToolServiceName, "DecideConfirmation",
     RpcPermissions::AllOf("confirmation:decide")},
    {Rpc::kWaitConfirmation, "unary", kToolServiceName, "WaitConfirmation",
     RpcPermissions::AnyKnownCaller("the caller's own question; another user's needs confirmation:decide")},
    {Rpc::kSearchEntries, "unary", kAuditServiceName, "SearchEntries", RpcPermissions::AllOf("audit:read")},
    {Rpc::kGetEntry, "unary", kAuditServiceName, "GetEntry", RpcPermissions::AllOf("audit:read")},
    {Rpc::kVerifyChain, "unary", kAuditServiceName, "VerifyChain", RpcPermissions::AllOf("audit:read")},
    {Rpc::kImportBlocks, "bidi_stream", kDataServiceName, "ImportBlocks",
     RpcPermissions::AllOf("block:create", "admin:write")},
    {Rpc::kExportBlocks, "server_stream", kDataServiceName, "ExportBlocks",
     RpcPermissions::AllOf("block:read", "admin:read")},
    {Rpc::kBackup, "server_stream", kDataServiceName, "Backup", RpcPermissions::AllOf("system:backup")},
    {Rpc::kListBreakers, "unary", kAdminServiceName, "ListBreakers", RpcPermissions::AllOf("admin:read")},
    {Rpc::kResetBreaker, "unary", kAdminServiceName, "ResetBreaker", RpcPermissions::AllOf("system:operate")},
    {Rpc::kReloadCatalog, "unary", kAdminServiceName, "ReloadCatalog", RpcPermissions::AllOf("system:operate")},
    {Rpc::kGetQuotaUsage, "unary", kAdminServiceName, "GetQuotaUsage",
     RpcPermissions::AnyKnownCaller("the caller's own usage; another user's needs admin:read")},
    {Rpc::kGetInstruction, "unary", kInstructionServiceName, "GetInstruction",
     RpcPermissions::AllOf("instruction:read")},
    {Rpc::kUpdateInstruction, "unary", kInstructionServiceName, "UpdateInstruction", RpcPermissions::OfItsTool()},
    {Rpc::kBuildPrompt, "unary", kInstructionServiceName, "BuildPrompt", RpcPermissions::AllOf("instruction:read")},
    {Rpc::kChat, "server_stream", kChatServiceName, "Chat", RpcPermissions::AllOf("chat:use")},
    {Rpc::kListConversations, "unary", kChatServiceName, "ListConversations", RpcPermissions::AllOf("chat:use")},
    {Rpc::kGetConversation, "unary", kChatServiceName, "GetConversation", RpcPermissions::AllOf("chat:use")},
    {Rpc::kDeleteConversation, "unary", kChatServiceName, "DeleteConversation", RpcPermissions::AllOf("chat:use")},
}};

constexpr bool RpcTableIsInOrder() {
  for (size_t i = 0; i < kRpcTable.size(); ++i) {
    if (kRpcTable[i].rpc != static_cast<Rpc>(i)) return false;
  }
  return true;
}
static_assert(RpcTableIsInOrder(), "kRpcTable has one row for each Rpc, in the order of the enumerators");

constexpr const RpcRow& RowOf(Rpc rpc) { return kRpcTable[static_cast<size_t>(rpc)]; }

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_RPC_TABLE_H_
