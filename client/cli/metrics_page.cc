// SPDX-License-Identifier: Apache-2.0
#include "client/cli/metrics_page.h"

#include <sys/socket.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/cli/network.h"

namespace clearance::client {
namespace {

absl::StatusOr<std::string> Exchange(const Socket& socket, const std::string& request) {
  if (send(socket.descriptor(), request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size())) {
    return absl::UnavailableError("the request cannot be written");
  }
  std::string reply;
  std::array<char, 16384> buffer;
  ssize_t got = 0;
  while ((got = recv(socket.descriptor(), buffer.data(), buffer.size(), 0)) > 0) {
    reply.append(buffer.data(), static_cast<std::size_t>(got));
  }
  if (got < 0) return absl::UnavailableError("the answer does not end");
  return reply;
}

absl::StatusOr<std::string> Get(const std::string& address, absl::string_view path,
                                absl::Duration timeout) {
  const absl::StatusOr<std::vector<Peer>> peers = Resolve(PlacesOf(address).front());
  if (!peers.ok()) return peers.status();
  absl::Status refusal;
  for (const Peer& peer : *peers) {
    const absl::StatusOr<Socket> socket = ConnectTo(peer, timeout);
    if (socket.ok()) {
      return Exchange(*socket, absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: ", address,
                                            "\r\nConnection: close\r\n\r\n"));
    }
    refusal = socket.status();
  }
  return refusal;
}

bool Matches(absl::string_view series, absl::string_view name, absl::string_view label) {
  return absl::StartsWith(series, name) &&
         (series.size() == name.size() || series[name.size()] == '{') &&
         absl::StrContains(series, label);
}

}  // namespace

absl::StatusOr<Series> FetchMetrics(const std::string& address, absl::Duration timeout) {
  const absl::StatusOr<std::string> reply = Get(address, "/metrics", timeout);
  if (!reply.ok()) {
    return absl::UnavailableError(
        absl::StrCat("http://", address, "/metrics: ", reply.status().message(),
                     "; --http is the server's --http_listen; `clearance doctor` checks the rest"));
  }
  const std::size_t body = reply->find("\r\n\r\n");
  if (!absl::StartsWith(*reply, "HTTP/1.1 200 ") || body == std::string::npos) {
    return absl::UnavailableError(absl::StrCat("http://", address, "/metrics: answers ",
                                               reply->substr(0, reply->find("\r\n"))));
  }
  return ParseMetrics(absl::string_view(*reply).substr(body));
}

Series ParseMetrics(absl::string_view page) {
  Series series;
  for (const absl::string_view line : absl::StrSplit(page, '\n')) {
    const std::size_t blank = line.rfind(' ');
    double value = 0;
    if (absl::StartsWith(line, "#") || blank == absl::string_view::npos) continue;
    if (absl::SimpleAtod(line.substr(blank + 1), &value)) {
      series[std::string(line.substr(0, blank))] = value;
    }
  }
  return series;
}

std::string LabelOf(absl::string_view series, absl::string_view label) {
  const std::string key = absl::StrCat(label, "=\"");
  const std::size_t at = series.find(key);
  if (at == absl::string_view::npos) return "";
  series.remove_prefix(at + key.size());
  return std::string(series.substr(0, series.find('"')));
}

double SumOf(const Series& series, absl::string_view name, absl::string_view label) {
  double sum = 0;
  for (const auto& [key, value] : series) sum += Matches(key, name, label) ? value : 0;
  return sum;
}

Series Growth(const Series& before, const Series& after) {
  Series growth;
  for (const auto& [key, value] : after) {
    const auto earlier = before.find(key);
    const bool went_on = earlier != before.end() && earlier->second <= value;
    growth[key] = went_on ? value - earlier->second : value;
  }
  return growth;
}

double Percentile(const Series& series, absl::string_view histogram, double share,
                  absl::string_view label) {
  std::map<double, double> counts;  // by the upper bounds, all below counted with them
  const std::string name = absl::StrCat(histogram, "_bucket");
  for (const auto& [key, value] : series) {
    double bound = 0;
    if (Matches(key, name, label) && absl::SimpleAtod(LabelOf(key, "le"), &bound)) {
      counts[bound] += value;
    }
  }
  if (counts.empty() || counts.rbegin()->second <= 0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double wanted = share * counts.rbegin()->second;
  double lower = 0, below = 0;
  for (const auto& [bound, count] : counts) {
    if (std::isinf(bound)) break;
    if (count >= wanted && count > below) {
      return lower + (bound - lower) * (wanted - below) / (count - below);
    }
    lower = bound;
    below = count;
  }
  return lower;
}

}  // namespace clearance::client
