// SPDX-License-Identifier: Apache-2.0

#include "server/access/policy.h"

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxListItems = 1000;
constexpr std::size_t kMaxPrefixBytes = 128;  // as long as a name may be
constexpr std::size_t kMaxCertificateNameBytes = 1024;
constexpr std::uint64_t kMaxHeld = std::uint64_t{1} << 50;  // things or bytes

// Nothing that is read here nests deeper.
constexpr std::size_t kMaxJsonDepth = 32;

// "line 3, column 5" of the byte before `position`.
std::string PlaceOf(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, position);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n');
  const std::size_t column =
      before.size() - (line_start == std::string_view::npos ? 0 : line_start + 1);
  return absl::StrCat("line ", lines + 1, ", column ", column);
}

// Looks through the text once and keeps the first thing that is wrong with it, where it ends.
class Inspector final : public nlohmann::json_sax<json> {
 public:
  explicit Inspector(std::string_view text) : text_(text) {}

  const absl::Status& status() const { return status_; }

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool string(string_t& /*value*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*size*/) override { return Enter(); }
  bool key(string_t& name) override {
    if (keys_.back().insert(name).second) return true;
    status_ = absl::InvalidArgumentError(absl::StrCat("the key \"", name, "\" stands twice"));
    return false;
  }
  bool end_object() override { return Leave(); }
  bool start_array(std::size_t /*size*/) override { return Enter(); }
  bool end_array() override { return Leave(); }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const json::exception& /*error*/) override {
    status_ =
        absl::InvalidArgumentError(absl::StrCat(PlaceOf(text_, position), ": malformed JSON"));
    return false;
  }

 private:
  bool Enter() {
    keys_.emplace_back();
    if (keys_.size() <= kMaxJsonDepth) return true;
    status_ = absl::InvalidArgumentError(absl::StrCat("nests deeper than ", kMaxJsonDepth));
    return false;
  }
  bool Leave() {
    keys_.pop_back();
    return true;
  }

  const std::string_view text_;
  std::vector<std::set<std::string>> keys_;  // of each object that is open
  absl::Status status_;
};

// Parses JSON that people write by hand. A syntax error is reported by line and column. A key that
// stands twice in one object is an error, since only one of the two would count.
absl::StatusOr<json> ParseStrictJson(std::string_view text) {
  Inspector inspector(text);
  if (!json::sax_parse(text, &inspector)) return inspector.status();
  return json::parse(text, nullptr, /*allow_exceptions=*/false);
}

absl::Status Wrong(absl::string_view path, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", message));
}

absl::Status CheckObject(const json& value, absl::string_view path,
                         std::initializer_list<absl::string_view> known) {
  if (!value.is_object()) return Wrong(path, "must be an object");
  for (const auto& item : value.items()) {
    if (std::ranges::find(known, absl::string_view(item.key())) == known.end()) {
      return Wrong(absl::StrCat(path, ".", Shorten(item.key())),
                   absl::StrCat("unknown field: allowed are ", absl::StrJoin(known, ", ")));
    }
  }
  return absl::OkStatus();
}

// The strings of a field that may be left out; each 1 to `max_bytes` printable characters.
absl::StatusOr<std::vector<std::string>> StringsIn(const json& object, const char* field,
                                                   const std::string& path, std::size_t max_bytes) {
  const auto found = object.find(field);
  std::vector<std::string> strings;
  if (found == object.end()) return strings;
  if (!found->is_array() || found->empty() || found->size() > kMaxListItems) {
    return Wrong(path, absl::StrCat("must be a list of 1 to ", kMaxListItems,
                                    " strings; leave it out for none"));
  }
  for (const json& item : *found) {
    const std::string* const text = item.get_ptr<const std::string*>();
    if (text == nullptr || text->empty() || text->size() > max_bytes ||
        !std::ranges::all_of(*text, [](char c) { return c > ' ' && c < 0x7f; })) {
      return Wrong(absl::StrCat(path, "[", strings.size(), "]"),
                   absl::StrCat("must be 1 to ", max_bytes, " printable characters of ASCII"));
    }
    strings.push_back(*text);
  }
  return strings;
}

// Sorted, without those that another one stands for already.
std::vector<std::string> Shortest(std::vector<std::string> prefixes) {
  std::ranges::sort(prefixes);
  std::vector<std::string> kept;
  for (std::string& prefix : prefixes) {
    if (kept.empty() || !prefix.starts_with(kept.back())) kept.push_back(std::move(prefix));
  }
  return kept;
}

// Takes those limits that are given.
absl::Status TakeLimits(const json& given, const std::string& path, PrincipalLimits* limits) {
  absl::Status status = CheckObject(
      given, path, {"sessions", "cores", "shapes", "registry_bytes", "scenes", "scene_bytes"});
  if (!status.ok()) return status;
  const struct {
    const char* name;
    std::uint64_t* number;
    std::uint64_t most = kMaxHeld;
  } numbers[] = {{"shapes", &limits->holding.shapes},
                 {"registry_bytes", &limits->holding.registry_bytes},
                 {"scenes", &limits->holding.scenes},
                 {"scene_bytes", &limits->holding.scene_bytes},
                 {"sessions", &limits->sessions, kMostSessionsOfOne}};
  for (const auto& [name, number, most] : numbers) {
    const auto field = given.find(name);
    if (field == given.end()) continue;
    if (!field->is_number_unsigned() || field->get<std::uint64_t>() > most) {
      return Wrong(absl::StrCat(path, ".", name),
                   absl::StrCat("must be a whole number from 0 to ", most));
    }
    *number = field->get<std::uint64_t>();
  }
  if (const auto cores = given.find("cores"); cores != given.end()) {
    limits->cores = cores->is_number() ? cores->get<double>() : 0;
    if (!(limits->cores >= kLeastCores && limits->cores <= kMostCores)) {
      return Wrong(path + ".cores",
                   absl::StrCat("must be a number from ", kLeastCores, " to ", kMostCores));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Principal> PrincipalOf(const std::string& id, const json& value,
                                      const std::string& path, const PrincipalLimits& defaults) {
  if (!IsPrincipalId(id)) {
    return Wrong(path, "the name must be 1 to 64 characters of [a-z0-9][a-z0-9._-]*");
  }
  absl::Status status = CheckObject(value, path, {"role", "certificates", "prefixes", "limits"});
  if (!status.ok()) return status;
  const json name = value.value("role", json());
  const auto role = name.is_string() ? RoleOf(name.get<std::string>()) : std::nullopt;
  if (!role.has_value()) return Wrong(path + ".role", "must be query, register or admin");
  auto prefixes = StringsIn(value, "prefixes", path + ".prefixes", kMaxPrefixBytes);
  if (!prefixes.ok()) return prefixes.status();
  Principal principal{id, *role, Shortest(*std::move(prefixes)), defaults, nullptr};
  status = TakeLimits(value.value("limits", json::object()), path + ".limits", &principal.limits);
  if (!status.ok()) return status;
  return principal;
}

}  // namespace

absl::StatusOr<Policy> Policy::Parse(std::string_view text, const PrincipalLimits& defaults) {
  const auto whole = ParseStrictJson(text);
  if (!whole.ok()) return whole.status();
  if (absl::Status status = CheckObject(*whole, "the file", {"principals"}); !status.ok())
    return status;
  const auto principals = whole->find("principals");
  if (principals == whole->end() || !principals->is_object() ||
      principals->size() > kMaxPrincipals) {
    return Wrong("principals",
                 absl::StrCat("must be an object of at most ", kMaxPrincipals, " principals"));
  }
  Policy policy;
  for (const auto& item : principals->items()) {
    const std::string path = absl::StrCat("principals.", Shorten(item.key()));
    auto principal = PrincipalOf(item.key(), item.value(), path, defaults);
    if (!principal.ok()) return principal.status();
    const auto names =
        StringsIn(item.value(), "certificates", path + ".certificates", kMaxCertificateNameBytes);
    if (!names.ok()) return names.status();
    for (const std::string& name : *names) {
      const auto [taken, is_new] = policy.id_by_certificate_.try_emplace(name, principal->id);
      if (!is_new) {
        return Wrong(path + ".certificates",
                     absl::StrCat("\"", Shorten(name), "\" is also that of ", taken->second));
      }
    }
    policy.principals_.push_back(*std::move(principal));
  }
  return policy;
}

}  // namespace clearance::server
