// SPDX-License-Identifier: Apache-2.0

#include "tests/fleet/cut.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/support/raw_http.h"

namespace clearance::fleet {

Cut::Cut(const std::vector<std::string>& members) {
  std::string sections;
  int port = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    port = test::FindFreePort();
    ends_.push_back(absl::StrCat("127.0.0.1:", port));
    absl::StrAppend(&sections, "listen m", i, "\n  bind ", ends_.back(), "\n  server it ",
                    members[i], "\n");
  }
  proxy_ = std::make_unique<test::StoppableProxy>(sections, port);
}

std::string Cut::StoreFlag() const {
  return absl::StrCat("--store=etcd://", absl::StrJoin(ends_, ","));
}

void Cut::CutOff() { proxy_->Stop(); }
void Cut::Join() { proxy_->Continue(); }

}  // namespace clearance::fleet
