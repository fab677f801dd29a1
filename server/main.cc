// SPDX-License-Identifier: Apache-2.0
#include "absl/types/span.h"
#include "server/app/run.h"

int main(int argc, char** argv) {
  return clearance::server::Run(absl::MakeConstSpan(argv, argc).subspan(1));
}
