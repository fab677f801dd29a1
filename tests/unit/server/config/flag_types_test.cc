// SPDX-License-Identifier: Apache-2.0
#include "server/config/flag_types.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace clearance::server {
namespace {

template <class T>
bool Accepts(absl::string_view text, T* value) {
  std::string error;
  const bool accepted = AbslParseFlag(text, value, &error);
  EXPECT_EQ(accepted, error.empty()) << text << ": " << error;
  return accepted;
}

TEST(Count, TakesWholeNumbersOfItsRangeAndNothingElse) {
  Count<1, 100> count{};
  EXPECT_TRUE(Accepts("1", &count));
  EXPECT_TRUE(Accepts("100", &count));
  EXPECT_EQ(count.value, 100);
  for (const char* const text : {"0", "101", "-1", "+1", " 1", "1 ", "1.0", "1e2", "", "ten", "0x1",
                                 "18446744073709551616"}) {
    EXPECT_FALSE(Accepts(text, &count)) << text;
  }
}

TEST(ByteCount, TakesNumbersWithAndWithoutUnits) {
  const struct {
    const char* text;
    std::uint64_t bytes;
  } rows[] = {{"1", 1},           {"17B", 17},          {"2KiB", 2048},
              {"16MiB", 1 << 24}, {"1048576", 1 << 20}, {"1GiB", 1 << 30}};
  for (const auto& row : rows) {
    ByteCount<INT32_MAX> count{};
    EXPECT_TRUE(Accepts(row.text, &count)) << row.text;
    EXPECT_EQ(count.value, row.bytes) << row.text;
  }
}

TEST(ByteCount, RefusesWhatIsOutOfRangeOrNoNumber) {
  ByteCount<INT32_MAX> count{};
  for (const char* const text : {"0", "0MiB", "2147483648", "2GiB", "2048MiB", "16MB", "16 MiB",
                                 "MiB", "", "-1", "1.5GiB", "99999999999999999999GiB"}) {
    EXPECT_FALSE(Accepts(text, &count)) << text;
  }
}

TEST(ByteCount, IsWrittenInTheLargestUnitAndReadBack) {
  EXPECT_EQ(FormatBytes(16 << 20), "16MiB");
  EXPECT_EQ(FormatBytes(1 << 30), "1GiB");
  EXPECT_EQ(FormatBytes(1025), "1025");
  EXPECT_EQ(FormatBytes(0), "0");
  for (const std::uint64_t bytes : {1, 1023, 1024, 3 << 10, (1 << 20) + 1, 5 << 20, INT32_MAX}) {
    ByteCount<INT32_MAX> count{};
    EXPECT_TRUE(Accepts(FormatBytes(bytes), &count));
    EXPECT_EQ(count.value, bytes);
  }
}

TEST(CoreCount, TakesZeroAndWhatAPolicyTakes) {
  CoreCount cores{};
  for (const char* const text : {"0", "0.001", "0.5", "1", "2.25", "4096"}) {
    EXPECT_TRUE(Accepts(text, &cores)) << text;
    EXPECT_EQ(AbslUnparseFlag(cores), text);
  }
  for (const char* const text :
       {"", "-1", "+1", "1e3", "nan", "inf", "0.0009", "4096.1", " 1", "1 ", "1.2.3", "."}) {
    EXPECT_FALSE(Accepts(text, &cores)) << text;
  }
}

TEST(WaitTime, TakesTimesFromZeroToAnHour) {
  WaitTime wait;
  EXPECT_TRUE(Accepts("0s", &wait));
  EXPECT_TRUE(Accepts("1h", &wait));
  EXPECT_TRUE(Accepts("250ms", &wait));
  EXPECT_EQ(wait.value, absl::Milliseconds(250));
  for (const char* const text : {"-1s", "5", "61m", "inf", "soon", ""}) {
    EXPECT_FALSE(Accepts(text, &wait)) << text;
  }
}

TEST(HttpAddress, TakesHostsWithPortsButNoIpv6) {
  HttpAddress address;
  for (const char* const text : {"127.0.0.1:9464", "localhost:0", "0.0.0.0:65535"}) {
    EXPECT_TRUE(Accepts(text, &address)) << text;
    EXPECT_EQ(address.value, text);
  }
  for (const char* const text :
       {"", ":9464", "9464", "localhost", "localhost:", "localhost:65536", "localhost:http",
        "::1:9464", "[::1]:9464", "localhost:-1", "unix:/run/x"}) {
    EXPECT_FALSE(Accepts(text, &address)) << text;
  }
}

TEST(GrpcAddress, AlsoTakesIpv6AndUnixSockets) {
  GrpcAddress address;
  EXPECT_TRUE(Accepts("unix:/run/clearance.sock", &address));
  EXPECT_TRUE(Accepts("[::]:50051", &address));
  EXPECT_FALSE(Accepts("unix:", &address));
  EXPECT_FALSE(Accepts("localhost", &address));
}

TEST(StoreFlags, AreSchemesWithHostsAndPorts) {
  StoreAddress address;
  EXPECT_TRUE(Accepts("", &address));
  EXPECT_TRUE(address.endpoints.empty());
  EXPECT_EQ(AbslUnparseFlag(address), "");
  EXPECT_TRUE(Accepts("etcd://10.0.0.1:2379,[::1]:2380,etcd:2379", &address));
  EXPECT_EQ(address.endpoints,
            (std::vector<std::string>{"10.0.0.1:2379", "[::1]:2380", "etcd:2379"}));
  EXPECT_EQ(AbslUnparseFlag(address), "etcd://10.0.0.1:2379,[::1]:2380,etcd:2379");
  for (const char* const wrong :
       {"etcd://", "etcd:2379", "http://a:1", "etcd://a", "etcd://a:1,", "etcd://a:1,b"}) {
    EXPECT_FALSE(Accepts(wrong, &address)) << wrong;
  }
}

TEST(LogFlags, KnowTheirNamesOnly) {
  LogFormat format{};
  EXPECT_TRUE(Accepts("json", &format));
  EXPECT_EQ(format, LogFormat::kJson);
  EXPECT_EQ(AbslUnparseFlag(format), "json");
  EXPECT_FALSE(Accepts("JSON", &format));
  LogLevel level{};
  EXPECT_TRUE(Accepts("warning", &level));
  EXPECT_EQ(level, LogLevel::kWarning);
  EXPECT_EQ(AbslUnparseFlag(level), "warning");
  EXPECT_FALSE(Accepts("loud", &level));
}

}  // namespace
}  // namespace clearance::server
