// SPDX-License-Identifier: Apache-2.0

#include "server/fence/stream_counts.h"

#include <grpc/grpc.h>
#include <grpc/support/alloc.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "server/fence/connection_table.h"

namespace clearance::server {
namespace {

using Json = nlohmann::json;

constexpr std::intptr_t kPage = 500;

// Sockets of ended connections are among them; beyond this all are gathered again.
constexpr std::size_t kMostRemembered = 100'000;

// Parses the text and frees it. Returns an empty object if there is none.
Json Parse(char* text) {
  if (text == nullptr) return Json::object();
  Json parsed = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  gpr_free(text);
  return parsed.is_object() ? parsed : Json::object();
}

// Returns the member at the path; null if there is none.
const Json* Find(const Json& object, const char* path) {
  const Json::json_pointer pointer(path);
  return object.contains(pointer) ? &object.at(pointer) : nullptr;
}

// gRPC writes 64-bit numbers as text and leaves zeros out.
std::int64_t NumberAt(const Json& object, const char* path) {
  const Json* const found = Find(object, path);
  std::int64_t number = 0;
  if (found == nullptr) return 0;
  if (found->is_number_integer()) return found->get<std::int64_t>();
  return found->is_string() && absl::SimpleAtoi(found->get_ref<const std::string&>(), &number)
             ? number
             : 0;
}

}  // namespace

std::optional<StreamCounts> StreamBook::CountsOf(const std::string& peer) {
  if (!has_searched_ && !sockets_.contains(peer)) {
    has_searched_ = true;
    FindNewSockets();
  }
  const auto found = sockets_.find(peer);
  if (found == sockets_.end()) return std::nullopt;
  const Json socket = Parse(grpc_channelz_get_socket(static_cast<std::intptr_t>(found->second)));
  if (!socket.contains("socket")) {
    // The port is used again, or the connection is gone.
    sockets_.erase(found);
    return std::nullopt;
  }
  const auto number = [&](const char* path) {
    return static_cast<std::uint64_t>(NumberAt(socket, path));
  };
  return StreamCounts{.started = number("/socket/data/streamsStarted"),
                      .answered = number("/socket/data/streamsSucceeded"),
                      .given_up = number("/socket/data/streamsFailed"),
                      .messages = number("/socket/data/messagesReceived")};
}

// Searches all servers of the process: the port tells which one is ours.
void StreamBook::FindNewSockets() {
  if (sockets_.size() > kMostRemembered) {
    sockets_.clear();
    newest_ = 0;
  }
  const Json servers = Parse(grpc_channelz_get_servers(0));
  const Json* const list = Find(servers, "/server");
  if (list == nullptr) return;
  const std::int64_t first = newest_ + 1;
  for (const Json& server : *list) {
    newest_ = first - 1;
    FindSocketsOf(NumberAt(server, "/ref/serverId"));
  }
}

void StreamBook::FindSocketsOf(std::int64_t server) {
  for (bool is_end = false; !is_end;) {
    const Json page = Parse(grpc_channelz_get_server_sockets(
        static_cast<std::intptr_t>(server), static_cast<std::intptr_t>(newest_ + 1), kPage));
    const Json* const list = Find(page, "/socketRef");
    is_end = page.contains("end") || list == nullptr || list->empty();
    if (list == nullptr) return;
    for (const Json& reference : *list) Remember(NumberAt(reference, "/socketId"));
  }
}

void StreamBook::Remember(std::int64_t socket) {
  newest_ = std::max(newest_, socket);
  const Json found = Parse(grpc_channelz_get_socket(static_cast<std::intptr_t>(socket)));
  const Json* const remote = Find(found, "/socket/remote/tcpip_address/ip_address");
  if (NumberAt(found, "/socket/local/tcpip_address/port") != port_) return;
  std::string address;
  if (remote == nullptr || !remote->is_string() ||
      !absl::Base64Unescape(remote->get_ref<const std::string&>(), &address)) {
    return;
  }
  const std::int64_t port = NumberAt(found, "/socket/remote/tcpip_address/port");
  sockets_[PeerText(address, static_cast<int>(port))] = socket;
}

}  // namespace clearance::server
