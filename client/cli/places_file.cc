// SPDX-License-Identifier: Apache-2.0
#include "client/cli/places_file.h"

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/cli/read_file.h"

namespace clearance::client {
namespace {

using PlacesJson = nlohmann::json;

constexpr std::size_t kNumbersAPose = 7;

bool IsNumbers(const PlacesJson& value, std::size_t count) {
  return value.is_array() && value.size() == count &&
         std::all_of(value.begin(), value.end(),
                     [](const PlacesJson& number) { return number.is_number(); });
}

bool IsPose(const PlacesJson& value) { return IsNumbers(value, kNumbersAPose); }
bool IsScale(const PlacesJson& value) { return value.is_number() || IsNumbers(value, 3); }
bool IsNumber(const PlacesJson& value) { return value.is_number(); }
bool IsText(const PlacesJson& value) { return value.is_string(); }
bool IsFlag(const PlacesJson& value) { return value.is_boolean(); }
bool IsAxis(const PlacesJson& value) { return value == "y" || value == "z"; }
bool Is32Bits(const PlacesJson& value) {
  return value.is_number_unsigned() &&
         value.get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max();
}

// A member that an object may have.
struct Member {
  const char* name;
  bool (*is_right)(const PlacesJson& value);
  const char* what;  // it must be
};
constexpr Member kMembersOfARow[] = {
    {"mesh", IsText, "the name of a file"},
    {"pose", IsPose, "7 numbers: x y z qx qy qz qw"},
    {"id", Is32Bits, "a whole number of 32 bits"},
    {"margin", IsNumber, "a number"},
    {"group", Is32Bits, "a whole number of 32 bits"},
    {"mask", Is32Bits, "a whole number of 32 bits"},
    {"name", IsText, "a name"},
    {"scale", IsScale, "a number or three"},
    {"units", IsText, "m, cm, mm or in"},
    {"up", IsAxis, "y or z"},
    {"parts", IsFlag, "true or false"},
    {"hull", IsFlag, "true or false"},
};
constexpr Member kMembersOfARule[] = {
    {"a", Is32Bits, "the id of a body"},
    {"b", Is32Bits, "the id of a body"},
    {"may_touch", IsFlag, "true or false"},
    {"margin", IsNumber, "a number"},
};

absl::Status Bad(absl::string_view where, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(where, ": ", what));
}

template <std::size_t kCount>
absl::Status CheckMembers(const PlacesJson& object, const Member (&members)[kCount],
                          const std::string& where) {
  if (!object.is_object()) return Bad(where, "must be an object");
  for (const auto& [key, value] : object.items()) {
    const auto* const member =
        std::find_if(std::begin(members), std::end(members),
                     [&key = key](const Member& m) { return key == m.name; });
    if (member == std::end(members))
      return Bad(where, absl::StrCat(key, " is not a member that is known"));
    if (!member->is_right(value)) {
      return Bad(where, absl::StrCat(key, " must be ", member->what));
    }
  }
  return absl::OkStatus();
}

std::string RowName(std::size_t i) { return absl::StrCat("row ", i, " of the poses"); }

absl::Status CheckRows(const PlacesJson& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    absl::Status status = CheckMembers(rows[i], kMembersOfARow, RowName(i));
    if (!status.ok()) return status;
    if (!rows[i].contains("mesh")) return Bad(RowName(i), "mesh is missing");
  }
  return absl::OkStatus();
}

// INVALID_ARGUMENT where two rows say the same id, as one body would be lost.
absl::StatusOr<std::vector<std::uint32_t>> IdsOfRows(const PlacesJson& rows) {
  std::map<std::uint32_t, std::size_t> said;  // and by which row
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].contains("id")) continue;
    const auto [first, is_new] = said.try_emplace(rows[i]["id"].get<std::uint32_t>(), i);
    if (!is_new)
      return Bad(RowName(i), absl::StrCat("id ", first->first, " is that of row ", first->second));
  }
  std::vector<std::uint32_t> ids;
  auto next = static_cast<std::uint32_t>(rows.size());
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    const bool is_said = rows[i].contains("id");
    ids.push_back(is_said ? rows[i]["id"].get<std::uint32_t>() : i);
    if (is_said || !said.contains(i)) continue;
    while (said.contains(next)) ++next;
    ids.back() = next++;
  }
  return ids;
}

// Returns how a row has its file read.
PlacedMesh MeshOf(const PlacesJson& row) {
  PlacedMesh mesh = {row["mesh"].get<std::string>(), row.value("name", ""), {}};
  MeshOptions& options = mesh.options;
  if (row.contains("scale")) {
    const PlacesJson& scale = row["scale"];
    options.scale = scale.is_array() ? scale.get<std::vector<double>>()
                                     : std::vector<double>{scale.get<double>()};
  }
  options.units = row.value("units", "");
  options.up = row.value("up", "");
  options.parts = row.value("parts", false);
  options.hull = row.value("hull", false);
  return mesh;
}

// Rows whose meshes have the same key have the same shape.
std::string KeyOf(const PlacesJson& row) {
  PlacesJson key = PlacesJson::array();
  for (const char* const member : {"mesh", "name", "scale", "units", "up", "parts", "hull"}) {
    key.push_back(row.contains(member) ? row[member] : PlacesJson());
  }
  return key.dump(-1, ' ', /*ensure_ascii=*/true, PlacesJson::error_handler_t::replace);
}

std::string NameOfFile(const std::string& file) {
  std::string name = absl::AsciiStrToLower(file);
  for (char& c : name) {
    const bool is_of_names = absl::ascii_isdigit(static_cast<unsigned char>(c)) ||
                             absl::ascii_islower(static_cast<unsigned char>(c)) || c == '.' ||
                             c == '_' || c == '/' || c == '-';
    if (!is_of_names) c = '-';
  }
  return name;
}

// Gives each mesh without a name one that no other has. INVALID_ARGUMENT where two say the same.
absl::Status NameMeshes(std::vector<PlacedMesh>* meshes) {
  std::set<std::string> taken;
  for (const PlacedMesh& mesh : *meshes) {
    if (mesh.name.empty() || taken.insert(mesh.name).second) continue;
    return Bad(
        "the poses",
        absl::StrCat("two meshes, or one that is read in two ways, have the name ", mesh.name));
  }
  for (PlacedMesh& mesh : *meshes) {
    if (!mesh.name.empty()) continue;
    const std::string name = NameOfFile(mesh.file);
    mesh.name = name;
    for (int i = 2; !taken.insert(mesh.name).second; ++i) mesh.name = absl::StrCat(name, "-", i);
  }
  return absl::OkStatus();
}

void AddBody(const PlacesJson& row, SceneBodies* bodies) {
  const auto pose = row.value("pose", std::vector<double>{0, 0, 0, 0, 0, 0, 1});
  bodies->poses.insert(bodies->poses.end(), pose.begin(), pose.end());
  bodies->margins.push_back(row.value("margin", 0.));
  bodies->groups.push_back(row.value("group", std::uint32_t{1}));
  bodies->masks.push_back(row.value("mask", std::numeric_limits<std::uint32_t>::max()));
  ++bodies->count;
}

absl::Status AddBodies(const PlacesJson& rows, Places* places) {
  if (absl::Status status = CheckRows(rows); !status.ok()) return status;
  absl::StatusOr<std::vector<std::uint32_t>> ids = IdsOfRows(rows);
  if (!ids.ok()) return ids.status();
  SceneBodies& bodies = places->content.bodies;
  bodies.ids = *std::move(ids);
  std::map<std::string, std::uint32_t> slots;
  for (const PlacesJson& row : rows) {
    const auto next = static_cast<std::uint32_t>(places->meshes.size());
    const auto [slot, is_new] = slots.try_emplace(KeyOf(row), next);
    if (is_new) {
      places->meshes.push_back(MeshOf(row));
      bodies.shapes.emplace_back(ByName{places->meshes.back().file});
    }
    bodies.shape_slots.push_back(slot->second);
    AddBody(row, &bodies);
  }
  return NameMeshes(&places->meshes);
}

absl::Status AddRules(const PlacesJson& list, ScenePairRules* rules) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const PlacesJson& rule = list[i];
    const std::string where = absl::StrCat("rule ", i, " of the poses");
    if (absl::Status status = CheckMembers(rule, kMembersOfARule, where); !status.ok()) {
      return status;
    }
    if (!rule.contains("a") || !rule.contains("b")) return Bad(where, "a and b must be there");
    const bool may_touch = rule.value("may_touch", false);
    if (may_touch == rule.contains("margin")) {
      return Bad(where, "either may_touch, which is true, or margin must be there");
    }
    rules->bodies_a.push_back(rule["a"].get<std::uint32_t>());
    rules->bodies_b.push_back(rule["b"].get<std::uint32_t>());
    rules->kinds.push_back(may_touch ? PairRuleKind::kMayTouch : PairRuleKind::kMargin);
    rules->margins.push_back(rule.value("margin", 0.));
    ++rules->count;
  }
  return absl::OkStatus();
}

// An error has the line, the column and what was found there.
absl::StatusOr<PlacesJson> ParseText(const std::string& json) {
  try {
    return PlacesJson::parse(json);
  } catch (const PlacesJson::parse_error& error) {
    const std::string text = error.what();
    const std::size_t at = text.find("at line ");
    return absl::InvalidArgumentError(
        absl::StrCat("no JSON: ", at == std::string::npos ? text : text.substr(at)));
  }
}

}  // namespace

absl::StatusOr<Places> ParsePlaces(const std::string& json) {
  const absl::StatusOr<PlacesJson> read = ParseText(json);
  if (!read.ok()) return read.status();
  const PlacesJson& parsed = *read;
  const bool has_rules = parsed.is_object() && parsed.size() <= 2 && parsed.contains("bodies") &&
                         (parsed.size() == 1 || parsed.contains("rules"));
  if (!parsed.is_array() && !has_rules) {
    return absl::InvalidArgumentError(
        "the poses must be a JSON array, or an object of bodies and rules");
  }
  const PlacesJson rows = has_rules ? parsed["bodies"] : parsed;
  const PlacesJson rules =
      has_rules ? parsed.value("rules", PlacesJson::array()) : PlacesJson::array();
  if (!rows.is_array() || !rules.is_array()) {
    return absl::InvalidArgumentError("the bodies and the rules of the poses must be JSON arrays");
  }
  Places places;
  if (absl::Status status = AddBodies(rows, &places); !status.ok()) return status;
  if (absl::Status status = AddRules(rules, &places.content.rules); !status.ok()) return status;
  return places;
}

absl::StatusOr<Places> ReadPlaces(const std::string& file) {
  const absl::StatusOr<std::string> text = ReadFile(file);
  if (!text.ok()) return text.status();
  absl::StatusOr<Places> places = ParsePlaces(*text);
  return places.ok() ? std::move(places) : InFile(file, places.status());
}

}  // namespace clearance::client
