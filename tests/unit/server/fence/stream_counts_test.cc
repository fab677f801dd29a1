// SPDX-License-Identifier: Apache-2.0

#include "server/fence/stream_counts.h"

#include <arpa/inet.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "grpcpp/generic/async_generic_service.h"
#include "server/fence/connection_table.h"
#include "server/observe/descriptor.h"

namespace clearance::server {
namespace {

TEST(StreamCounts, OpenAreThoseThatHaveNotEnded) {
  EXPECT_EQ((StreamCounts{.started = 12, .answered = 4, .given_up = 3}).open(), 5);
}

// The counts are not of one moment.
TEST(StreamCounts, NoneAreOpenWhereMoreEndedThanWereSeenToBegin) {
  EXPECT_EQ((StreamCounts{.started = 12, .answered = 10, .given_up = 3}).open(), 0);
}

// A connection to this port, and what it is called in the book.
struct Client {
  Descriptor connection;
  std::string key;
};

Client ConnectTo(int port) {
  Client client = {.connection = Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
                   .key = {}};
  sockaddr_storage name{};
  auto& address = reinterpret_cast<sockaddr_in&>(name);
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&name);
  EXPECT_EQ(connect(client.connection.number(), generic, size), 0);
  size = sizeof name;
  EXPECT_EQ(getsockname(client.connection.number(), generic, &size), 0);
  client.key = PeerText(name);
  return client;
}

TEST(PeerText, IsTheAddressAsGrpcWritesIt) {
  sockaddr_storage name{};
  auto& v4 = reinterpret_cast<sockaddr_in&>(name);
  v4.sin_family = AF_INET;
  v4.sin_port = htons(5000);
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(PeerText(name), "ipv4:127.0.0.1:5000");
  name = {};
  auto& v6 = reinterpret_cast<sockaddr_in6&>(name);
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(58);
  ASSERT_EQ(inet_pton(AF_INET6, "2001:db8::3a", &v6.sin6_addr), 1);
  EXPECT_EQ(PeerText(name), "ipv6:%5B2001:db8::3a%5D:58");
  name = {};
  name.ss_family = AF_UNIX;
  EXPECT_EQ(PeerText(name), "unix:");
}

// What gRPC knows is costly to ask for, and clients can have any number of connections that it does
// not know.
TEST(StreamBook, AsksForNewConnectionsOnceInALook) {
  grpc::AsyncGenericService service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterAsyncGenericService(&service);
  const std::unique_ptr<grpc::ServerCompletionQueue> queue = builder.AddCompletionQueue();
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  ASSERT_NE(server, nullptr);
  std::thread poller([&queue] {
    void* tag = nullptr;
    bool ok = false;
    while (queue->Next(&tag, &ok)) {
    }
  });

  StreamBook book(port);
  StreamBook other(port);
  book.BeginLook();
  EXPECT_FALSE(book.CountsOf("nobody").has_value());
  Client client = ConnectTo(port);
  do {
    other.BeginLook();
  } while (!other.CountsOf(client.key).has_value());
  EXPECT_FALSE(book.CountsOf(client.key).has_value());
  book.BeginLook();
  EXPECT_TRUE(book.CountsOf(client.key).has_value());

  client.connection.Close();
  server->Shutdown();
  queue->Shutdown();
  poller.join();
}

}  // namespace
}  // namespace clearance::server
