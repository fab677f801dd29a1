// SPDX-License-Identifier: Apache-2.0
#include "client/cli/output.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "client/cli/row_output.h"
#include "client/cli/shape_argument.h"
#include "internal/shape_convert.h"

namespace clearance::client {
namespace {

// A shape without vertices, such as a cylinder, has none.
void AddVertex(const char* name, std::uint32_t vertex, Json* object) {
  if (vertex != std::numeric_limits<std::uint32_t>::max()) (*object)[name] = vertex;
}

void AddWitnesses(const Witnesses& witnesses, std::size_t row, Json* object) {
  if (row + 1 >= witnesses.offsets.size()) return;
  Json list = Json::array();
  for (std::size_t k = witnesses.offsets[row]; k < witnesses.offsets[row + 1]; ++k) {
    Json witness = Json::object();
    AddVertex("vertex_a", witnesses.vertices_a[k], &witness);
    AddVertex("vertex_b", witnesses.vertices_b[k], &witness);
    witness["weight"] = Number(witnesses.weights[k]);
    list.push_back(std::move(witness));
  }
  (*object)["witnesses"] = std::move(list);
}

void AddContacts(const Contacts& contacts, std::size_t row, Json* object) {
  if (row + 1 >= contacts.offsets.size()) return;
  Json list = Json::array();
  for (std::size_t k = contacts.offsets[row]; k < contacts.offsets[row + 1]; ++k) {
    Json contact = {{"distance", Number(contacts.distances[k])}};
    AddVector("point_a", contacts.points_a, k, &contact);
    AddVector("point_b", contacts.points_b, k, &contact);
    contact["feature_a"] = {contacts.features_a[2 * k], contacts.features_a[2 * k + 1]};
    contact["feature_b"] = {contacts.features_b[2 * k], contacts.features_b[2 * k + 1]};
    list.push_back(std::move(contact));
  }
  (*object)["contacts"] = std::move(list);
  if (contacts.truncated[row]) (*object)["contacts_truncated"] = true;
}

void AddDepthProof(const DepthProofs& proofs, std::size_t row, Json* object) {
  if (row + 1 >= proofs.offsets.size()) return;
  Json corners = Json::array();
  for (std::size_t k = proofs.offsets[row]; k < proofs.offsets[row + 1]; ++k) {
    corners.push_back({proofs.vertices_a[k], proofs.vertices_b[k]});
  }
  Json facets = Json::array();
  for (std::size_t k = proofs.facet_offsets[row]; k < proofs.facet_offsets[row + 1]; ++k) {
    facets.push_back({proofs.facets[3 * k], proofs.facets[3 * k + 1], proofs.facets[3 * k + 2]});
  }
  (*object)["depth_proof"] = {{"corners", std::move(corners)}, {"facets", std::move(facets)}};
  if (proofs.truncated[row]) (*object)["depth_proof_truncated"] = true;
}

void AddProof(const MotionProofs& proofs, std::size_t row, Json* object) {
  if (row + 1 >= proofs.offsets.size()) return;
  Json list = Json::array();
  for (std::size_t k = proofs.offsets[row]; k < proofs.offsets[row + 1]; ++k) {
    Json interval = {{"t_begin", Number(proofs.t_begin[k])}, {"t_end", Number(proofs.t_end[k])}};
    AddVector("normal", proofs.normals, k, &interval);
    AddCount("piece_a", proofs.pieces_a, k, &interval);
    AddCount("piece_b", proofs.pieces_b, k, &interval);
    list.push_back(std::move(interval));
  }
  (*object)["proof"] = std::move(list);
  if (proofs.truncated[row]) (*object)["proof_truncated"] = true;
}

template <class Result>
Json StartRows(const Result& result) {
  Json rows = Json::array();
  for (std::size_t row = 0; row < result.states.size(); ++row) {
    rows.push_back({{"row", row}, {"state", Name(result.states[row])}});
  }
  return rows;
}

constexpr std::size_t kGap = 2;  // between columns

void PrintLine(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    line += absl::StrFormat("%-*s  ", static_cast<int>(widths[i]), cells[i]);
  }
  absl::PrintF("%s\n", absl::StripTrailingAsciiWhitespace(line));
}

// Returns where a line of at most `width` bytes ends: at its last blank, else after its last comma,
// else within a word, but not within a character of UTF-8. JSON stays JSON.
std::size_t LineEnd(absl::string_view text, std::size_t width) {
  if (text.size() <= width) return text.size();
  const std::size_t blank = text.rfind(' ', width);
  if (blank != absl::string_view::npos && blank > 0) return blank;
  const std::size_t comma = text.rfind(',', width - 1);
  if (comma != absl::string_view::npos) return comma + 1;
  std::size_t end = width;
  while (end > 1 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return end;
}

}  // namespace

std::vector<std::string> Wrapped(absl::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  do {
    const std::size_t end = LineEnd(text, width);
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    absl::ConsumePrefix(&text, " ");
  } while (!text.empty());
  return lines;
}

std::string ShortDigest(const std::string& digest) {
  constexpr std::size_t kShown = 22;  // "v1-sha256-" and 12 digits
  return digest.size() <= kShown ? digest : digest.substr(0, kShown) + "...";
}

Json ToJson(const Shape& shape) {
  v1::Shape proto;
  ToProto(shape, &proto);
  std::string text;
  // Fails only where Any, Timestamp and their like are malformed; a shape has none of them.
  const auto status = google::protobuf::util::MessageToJsonString(proto, &text);
  if (!status.ok()) return Json();
  Json json = Json::parse(text);
  AddZeroLengths(&json);
  return json;
}

Json ToJson(const ShapeInfo& info) {
  return {{"name", info.name},
          {"digest", info.digest},
          {"point_count", info.point_count},
          {"vertex_count", info.vertex_count},
          {"duplicate_count", info.duplicate_count},
          {"dimension", info.dimension},
          {"swept_sphere_radius", Number(info.swept_sphere_radius)},
          {"bounding_radius", Number(info.bounding_radius)},
          {"volume", Number(info.volume)},
          {"revision", info.revision},
          {"piece_count", info.piece_count}};
}

Json ToJson(const ServerInfo& info) {
  const Tolerances& tolerances = info.tolerances;
  Json json = {{"version", info.version}, {"revision", info.revision}};
  if (info.server_time) {
    json["server_time"] =
        absl::FormatTime(absl::RFC3339_full, *info.server_time, absl::UTCTimeZone());
  }
  Json limits;
#define CLEARANCE_WRITE_LIMIT(name) limits[#name] = info.limits.name;
  CLEARANCE_LIMITS(CLEARANCE_WRITE_LIMIT)
#undef CLEARANCE_WRITE_LIMIT
  json.update({{"limits", limits},
               {"tolerances",
                {{"relative", tolerances.relative},
                 {"rounding", tolerances.rounding},
                 {"max_iterations", tolerances.max_iterations},
                 {"max_motion_steps", tolerances.max_motion_steps},
                 {"max_rotation", tolerances.max_rotation},
                 {"quaternion_slack", tolerances.quaternion_slack}}}});
  return json;
}

Json ToJson(const DistanceResult& result) {
  Json rows = StartRows(result);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    Json* object = &rows[row];
    const State state = result.states[row];
    if (state == State::kRefused) continue;
    const bool has_points = state != State::kBeyond && state != State::kUndecided;
    if (has_points) AddNumber("distance", result.distances, row, object);
    AddNumber("lower_bound", result.lower_bounds, row, object);
    AddNumber("upper_bound", result.upper_bounds, row, object);
    if (has_points) {
      AddCount("piece_a", result.pieces_a, row, object);
      AddCount("piece_b", result.pieces_b, row, object);
      AddVector("point_a", result.points_a, row, object);
      AddVector("point_b", result.points_b, row, object);
      AddVector("normal", result.normals, row, object);
      AddCount("flags", result.flags, row, object);
    }
    AddWitnesses(result.witnesses, row, object);
    AddContacts(result.contacts, row, object);
    AddDepthProof(result.depth_proofs, row, object);
    AddCount("iterations", result.iterations, row, object);
    AddNumber("tolerance", result.tolerances, row, object);
  }
  AddRemarks(result, &rows);
  return rows;
}

Json ToJson(const IntersectionResult& result) {
  Json rows = StartRows(result);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (result.states[row] == State::kRefused) continue;
    AddNumber("lower_bound", result.lower_bounds, row, &rows[row]);
    AddNumber("upper_bound", result.upper_bounds, row, &rows[row]);
    AddCount("iterations", result.iterations, row, &rows[row]);
  }
  AddRemarks(result, &rows);
  return rows;
}

Json ToJson(const TimeOfCollisionResult& result) {
  Json rows = StartRows(result);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const MotionState state = result.states[row];
    if (state == MotionState::kRefused) continue;
    AddNumber("t_free", result.t_free, row, &rows[row]);
    if (state == MotionState::kHit || state == MotionState::kInitiallyOverlapping) {
      AddNumber("t_hit", result.t_hit, row, &rows[row]);
      AddNumber("distance", result.distances, row, &rows[row]);
      AddVector("point_a", result.points_a, row, &rows[row]);
      AddVector("point_b", result.points_b, row, &rows[row]);
      AddVector("normal", result.normals, row, &rows[row]);
      AddCount("piece_a", result.pieces_a, row, &rows[row]);
      AddCount("piece_b", result.pieces_b, row, &rows[row]);
    }
    AddNumber("t_leave", result.t_leave, row, &rows[row]);
    AddProof(result.proofs, row, &rows[row]);
    AddCount("iterations", result.iterations, row, &rows[row]);
  }
  AddRemarks(result, &rows);
  return rows;
}

void PrintJson(const Json& json) { absl::PrintF("%s\n", JsonText(json, /*indent=*/2)); }

std::string CellText(const Json& cell) {
  if (cell.is_string()) return cell.get<std::string>();
  if (cell.is_number_float()) return absl::StrFormat("%.10g", cell.get<double>());
  if (cell.contains("limit")) {  // a refusal
    const std::string field = CellText(cell["field"]);
    std::string message = CellText(cell["message"]);
    // Such a message says all, and what the value is of.
    if (absl::StrContains(message, field) && absl::StrContains(message, ", must be "))
      return message;
    return absl::StrFormat("%s = %s, must be %s: %s", field, CellText(cell["value"]),
                           CellText(cell["limit"]), message);
  }
  if (!cell.is_array()) return JsonText(cell);
  std::string text;
  for (const Json& item : cell) text += (text.empty() ? "" : " ") + CellText(item);
  return text;
}

void TableWriter::Write(const Json& rows) {
  const std::size_t known = names_.size();
  for (const Json& row : rows) {
    for (const auto& [name, cell] : row.items()) {
      const auto at = std::find(names_.begin(), names_.end(), name) - names_.begin();
      if (at == static_cast<std::ptrdiff_t>(names_.size())) {
        names_.push_back(name);
        widths_.push_back(name.size());
      }
      widths_[at] = std::max(widths_[at], CellText(cell).size());
    }
  }
  const std::size_t gaps = kGap * (widths_.empty() ? 0 : widths_.size() - 1);
  if (!is_wide_ && std::accumulate(widths_.begin(), widths_.end(), gaps) > kMostColumns) {
    for (const Json& row : rows) WriteRecord(row);
  } else {
    if (names_.size() > known) PrintLine(names_, widths_);
    for (const Json& row : rows) WriteLine(row);
  }
}

void TableWriter::WriteLine(const Json& row) {
  has_written_ = true;
  std::vector<std::string> cells;
  cells.reserve(names_.size());
  for (const std::string& name : names_) {
    cells.push_back(row.contains(name) ? CellText(row[name]) : "-");
  }
  PrintLine(cells, widths_);
}

void TableWriter::WriteRecord(const Json& row) {
  if (std::exchange(has_written_, true)) absl::PrintF("\n");
  std::size_t longest = 0;
  for (const auto& [name, cell] : row.items()) longest = std::max(longest, name.size());
  for (const auto& [name, cell] : row.items()) {
    std::string label = name;
    for (std::string& line : Wrapped(CellText(cell), kMostColumns - kGap - longest)) {
      PrintLine({std::exchange(label, ""), std::move(line)}, {longest, 0});
    }
  }
}

void PrintTable(const GlobalOptions& options, const Json& rows) {
  TableWriter(options.wide).Write(rows);
}

int ExitCodeOf(const DistanceResult& result) { return WorstCode(result.states); }
int ExitCodeOf(const IntersectionResult& result) { return WorstCode(result.states); }
int ExitCodeOf(const TimeOfCollisionResult& result) { return WorstCode(result.states); }

}  // namespace clearance::client
