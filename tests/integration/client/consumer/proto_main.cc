// SPDX-License-Identifier: Apache-2.0
#include <clearance/v1/query_service.grpc.pb.h>

int main() { return clearance::v1::SessionRequest().IsInitialized() ? 0 : 1; }
