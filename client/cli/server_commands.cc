// SPDX-License-Identifier: Apache-2.0
//
// info, health.
#include <memory>

#include "client/cli/command.h"
#include "client/cli/output.h"
#include "internal/unreachable.h"

namespace clearance::client {
namespace {

int Info(const GlobalOptions& options) {
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  const absl::StatusOr<ServerInfo> info = client->GetServerInfo();
  if (!info.ok()) return ReportError(info.status());
  const Json json = ToJson(*info);
  if (options.json) {
    PrintJson(json);
    return kExitFree;
  }
  Json rows = Json::array();
  rows.push_back({{"name", "version"}, {"value", info->version}});
  rows.push_back({{"name", "revision"}, {"value", info->revision}});
  if (info->server_time) {
    rows.push_back({{"name", "server_time"}, {"value", json["server_time"]}});
  }
  for (const char* group : {"limits", "tolerances"}) {
    for (const auto& [name, value] : json[group].items()) {
      rows.push_back({{"name", name}, {"value", value}});
    }
  }
  PrintTable(options, rows);
  return kExitFree;
}

int CheckHealth(const GlobalOptions& options, const std::string& service) {
  const absl::StatusOr<ClientOptions> client_options = options.ForClient();
  if (!client_options.ok()) return ReportError(client_options.status());
  const absl::StatusOr<Health> health = Client::HealthOf(options.address, *client_options, service);
  if (!health.ok()) return ReportError(Unreachable(health.status(), options.address));
  const char* text = *health == Health::kServing      ? "SERVING"
                     : *health == Health::kNotServing ? "NOT_SERVING"
                                                      : "UNKNOWN";
  const Json answer = {{"status", text}};
  options.json ? PrintJson(answer) : PrintTable(options, Json::array({answer}));
  return *health == Health::kServing ? kExitFree : kExitNotFree;
}

}  // namespace

void AddServerCommands(CLI::App* app, GlobalOptions* options) {
  CLI::App* info = app->add_subcommand("info", "Show version, limits and tolerances");
  info->callback([=] { options->exit_code = Info(*options); });

  auto service = std::make_shared<std::string>();
  CLI::App* health = app->add_subcommand("health", "Ask whether the server is serving");
  health->add_option("service", *service, "Service to ask for; without: the whole server");
  health->callback([=] { options->exit_code = CheckHealth(*options, *service); });
}

}  // namespace clearance::client
