// SPDX-License-Identifier: Apache-2.0
#include "server/config/setting_types.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace clearance::server::setting_types {
namespace {

template <class Kind>
bool Accepts(absl::string_view text, typename Kind::Value* value) {
  return Kind::Parse(text, value);
}

TEST(Count, TakesWholeNumbersOfItsRangeAndNothingElse) {
  using Number = Count<1, 100>;
  std::uint64_t count = 0;
  EXPECT_TRUE(Accepts<Number>("1", &count));
  EXPECT_TRUE(Accepts<Number>("100", &count));
  EXPECT_EQ(count, 100);
  for (const char* const text : {"0", "101", "-1", "+1", " 1", "1 ", "1.0", "1e2", "", "ten", "0x1",
                                 "18446744073709551616"}) {
    EXPECT_FALSE(Accepts<Number>(text, &count)) << text;
  }
}

TEST(ByteCount, TakesNumbersWithAndWithoutUnits) {
  const struct {
    const char* text;
    std::uint64_t bytes;
  } rows[] = {{"1", 1},           {"17B", 17},          {"2KiB", 2048},
              {"16MiB", 1 << 24}, {"1048576", 1 << 20}, {"1GiB", 1 << 30}};
  for (const auto& row : rows) {
    std::uint64_t count = 0;
    EXPECT_TRUE(Accepts<MessageBytes>(row.text, &count)) << row.text;
    EXPECT_EQ(count, row.bytes) << row.text;
  }
}

TEST(ByteCount, RefusesWhatIsOutOfRangeOrNoNumber) {
  std::uint64_t count = 0;
  for (const char* const text : {"0", "0MiB", "2147483648", "2GiB", "2048MiB", "16MB", "16 MiB",
                                 "MiB", "", "-1", "1.5GiB", "99999999999999999999GiB"}) {
    EXPECT_FALSE(Accepts<MessageBytes>(text, &count)) << text;
  }
}

TEST(ByteCount, IsWrittenInTheLargestUnitThatDividesIt) {
  EXPECT_EQ(FormatBytes(16 << 20), "16MiB");
  EXPECT_EQ(FormatBytes(1 << 30), "1GiB");
  EXPECT_EQ(FormatBytes(1025), "1025");
  EXPECT_EQ(FormatBytes(0), "0");
  for (const std::uint64_t bytes : {1, 1023, 1024, 3 << 10, (1 << 20) + 1, 5 << 20, INT32_MAX}) {
    std::uint64_t count = 0;
    EXPECT_TRUE(Accepts<MessageBytes>(FormatBytes(bytes), &count));
    EXPECT_EQ(count, bytes);
  }
}

TEST(Cores, TakesZeroAndWhatAPolicyTakes) {
  double cores = 0;
  for (const char* const text : {"0", "0.001", "0.5", "1", "2.25", "4096"}) {
    EXPECT_TRUE(Accepts<Cores>(text, &cores)) << text;
    EXPECT_EQ(Cores::Print(cores), text);
  }
  for (const char* const text :
       {"", "-1", "+1", "1e3", "nan", "inf", "0.0009", "4096.1", " 1", "1 ", "1.2.3", "."}) {
    EXPECT_FALSE(Accepts<Cores>(text, &cores)) << text;
  }
}

TEST(WaitTime, TakesTimesFromZeroToAnHour) {
  absl::Duration wait;
  EXPECT_TRUE(Accepts<WaitTime>("0s", &wait));
  EXPECT_TRUE(Accepts<WaitTime>("1h", &wait));
  EXPECT_TRUE(Accepts<WaitTime>("250ms", &wait));
  EXPECT_EQ(wait, absl::Milliseconds(250));
  for (const char* const text : {"-1s", "5", "61m", "inf", "soon", ""}) {
    EXPECT_FALSE(Accepts<WaitTime>(text, &wait)) << text;
  }
}

TEST(HttpAddress, TakesHostsWithPortsButNoIpv6) {
  std::string address;
  for (const char* const text : {"127.0.0.1:9464", "localhost:0", "0.0.0.0:65535"}) {
    EXPECT_TRUE(Accepts<HttpAddress>(text, &address)) << text;
    EXPECT_EQ(address, text);
  }
  for (const char* const text :
       {"", ":9464", "9464", "localhost", "localhost:", "localhost:65536", "localhost:http",
        "::1:9464", "[::1]:9464", "localhost:-1", "unix:/run/x"}) {
    EXPECT_FALSE(Accepts<HttpAddress>(text, &address)) << text;
  }
}

TEST(GrpcAddress, AlsoTakesIpv6AndUnixSockets) {
  std::string address;
  EXPECT_TRUE(Accepts<GrpcAddress>("unix:/run/clearance.sock", &address));
  EXPECT_TRUE(Accepts<GrpcAddress>("[::]:50051", &address));
  EXPECT_FALSE(Accepts<GrpcAddress>("unix:", &address));
  EXPECT_FALSE(Accepts<GrpcAddress>("localhost", &address));
}

TEST(StoreAddress, AreSchemesWithHostsAndPorts) {
  std::vector<std::string> address;
  EXPECT_TRUE(Accepts<StoreAddress>("", &address));
  EXPECT_TRUE(address.empty());
  EXPECT_EQ(StoreAddress::Print(address), "");
  EXPECT_TRUE(Accepts<StoreAddress>("etcd://10.0.0.1:2379,[::1]:2380,etcd:2379", &address));
  EXPECT_EQ(address, (std::vector<std::string>{"10.0.0.1:2379", "[::1]:2380", "etcd:2379"}));
  EXPECT_EQ(StoreAddress::Print(address), "etcd://10.0.0.1:2379,[::1]:2380,etcd:2379");
  for (const char* const wrong :
       {"etcd://", "etcd:2379", "http://a:1", "etcd://a", "etcd://a:1,", "etcd://a:1,b"}) {
    EXPECT_FALSE(Accepts<StoreAddress>(wrong, &address)) << wrong;
  }
}

TEST(Choice, KnowsItsNamesOnly) {
  LogFormat format{};
  EXPECT_TRUE(Accepts<LogFormatChoice>("json", &format));
  EXPECT_EQ(format, LogFormat::kJson);
  EXPECT_EQ(LogFormatChoice::Print(format), "json");
  EXPECT_FALSE(Accepts<LogFormatChoice>("JSON", &format));
  LogLevel level{};
  EXPECT_TRUE(Accepts<LogLevelChoice>("warning", &level));
  EXPECT_EQ(level, LogLevel::kWarning);
  EXPECT_EQ(LogLevelChoice::Print(level), "warning");
  EXPECT_FALSE(Accepts<LogLevelChoice>("loud", &level));
}

TEST(ZeroIsNoLimit, OfTimesBytesAndCores) {
  absl::Duration wait;
  EXPECT_TRUE(Accepts<WaitTimeOrNever>("0", &wait));
  EXPECT_EQ(wait, absl::InfiniteDuration());
  EXPECT_EQ(WaitTimeOrNever::Print(wait), "0");
  EXPECT_TRUE(Accepts<WaitTimeOrNever>("90s", &wait));
  EXPECT_EQ(WaitTimeOrNever::Print(wait), "1m30s");
  std::uint64_t bytes = 0;
  EXPECT_TRUE(Accepts<BytesOfOne>("0", &bytes));
  EXPECT_EQ(bytes, kNoLimit);
  EXPECT_EQ(BytesOfOne::Print(bytes), "0");
  double cores = 1;
  EXPECT_TRUE(Accepts<CoresOfOne>("0", &cores));
  EXPECT_EQ(cores, kNoLimitOfCores);
  EXPECT_TRUE(Accepts<CoresOfOne>("2.5", &cores));
  EXPECT_EQ(CoresOfOne::Print(cores), "2.5");
}

TEST(Switch, TakesTrueAndFalse) {
  bool is_on = true;
  EXPECT_TRUE(Accepts<Switch>("false", &is_on));
  EXPECT_EQ(Switch::Print(is_on), "false");
  EXPECT_FALSE(Accepts<Switch>("perhaps", &is_on));
}

}  // namespace
}  // namespace clearance::server::setting_types
