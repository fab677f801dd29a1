// SPDX-License-Identifier: Apache-2.0
//
// A server's view of a shared registry, without the server.

#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <future>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "clearance/v1/shape.pb.h"
#include "server/app/restore.h"
#include "server/convert/shape_content.h"
#include "server/etcd/etcd_store.h"
#include "server/storage/shape_ledger.h"

namespace clearance::test {

class Replica {
 public:
  // Joins; a failure fails the test.
  explicit Replica(const server::EtcdConfig& config, server::Limits limits = {})
      : metrics("0"), shapes(limits, &metrics), scenes(limits, &metrics), limits_(limits) {
    auto store = server::EtcdStore::Open(config, &metrics.store());
    EXPECT_TRUE(store.ok()) << store.status();
    if (!store.ok()) return;
    absl::Status status = server::RestoreShapes(2, store->get(), &shapes);
    if (status.ok()) status = server::RestoreScenes(store->get(), shapes, &scenes);
    EXPECT_TRUE(status.ok()) << status;
    if (!status.ok()) return;
    ledger = std::make_unique<server::ShapeLedger>(server::ShapeLedger::Parts{
        .registry = shapes,
        .store = nullptr,
        .metrics = &metrics,
        .log = nullptr,
        .scenes = scenes,
        .shared = std::make_unique<server::SharedRegistry>(server::SharedRegistry::Parts{
            .store = *std::move(store),
            .mirror = std::make_unique<server::SharedMirror>(&shapes, &scenes),
            .patience = config.patience,
            .series = metrics.store(),
            .log = nullptr})});
  }

  std::vector<server::ShapeOutcome> Make(std::vector<server::ShapeChange> changes) {
    std::promise<std::vector<server::ShapeOutcome>> outcomes;
    ledger->Submit(std::move(changes), [&](std::vector<server::ShapeOutcome> all) {
      outcomes.set_value(std::move(all));
    });
    return outcomes.get_future().get();
  }

  server::ShapeOutcome MakeOne(server::ShapeChange change) {
    std::vector<server::ShapeChange> changes;
    changes.push_back(std::move(change));
    return std::move(Make(std::move(changes)).front());
  }

  server::ShapeOutcome Register(const std::string& name, const server::ShapeContentPtr& content,
                                bool replace = false) {
    server::ShapeChange change;
    change.name = name;
    change.content = content;
    change.options.replace = replace;
    return MakeOne(std::move(change));
  }
  server::ShapeOutcome Delete(const std::string& name) {
    server::ShapeChange change;
    change.name = name;
    return MakeOne(std::move(change));
  }
  server::ShapeOutcome ChangeScene(server::NamedSceneChange change) {
    server::ShapeChange made;
    made.name = change.name;
    made.scene = std::make_shared<const server::NamedSceneChange>(std::move(change));
    return MakeOne(std::move(made));
  }

  // Waits until this is as new as any replica was.
  absl::Status Refresh() {
    std::promise<absl::Status> fresh;
    ledger->freshness()->Await([&](absl::Status status) { fresh.set_value(std::move(status)); });
    return fresh.get_future().get();
  }

  // Returns the digest that a caller gets for the name, after a fresh look; "" if there is none.
  std::string DigestOf(const std::string& name) {
    const absl::Status status = Refresh();
    if (!status.ok()) return std::string(status.message());
    const auto found = shapes.FindByName(name);
    return found.ok() ? found->shape.content->digest : "";
  }

  server::ShapeContentPtr Ball(double radius) {
    v1::Shape shape;
    shape.mutable_sphere()->set_radius(radius);
    return *server::BuildContent(shape, limits_, shapes);
  }
  // Returns a flat hull of so many points on a circle, all of them corners.
  server::ShapeContentPtr Disc(int points) {
    v1::Shape shape;
    for (int i = 0; i < points; ++i) {
      const double angle = 2 * std::numbers::pi * i / points;
      for (const double number : {std::cos(angle), std::sin(angle), 0.})
        shape.mutable_hull()->add_vertices(number);
    }
    return *server::BuildContent(shape, limits_, shapes);
  }

  server::Metrics metrics;
  server::Registry shapes;
  server::SceneRegistry scenes;
  std::unique_ptr<server::ShapeLedger> ledger;

 private:
  const server::Limits limits_;
};

}  // namespace clearance::test
