#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# sbom.sh VERSION EPOCH [PACKAGE-LOCK [COMPILED-IN]]: what this system is made of, as SPDX 2.3 in JSON: the
# server, the Debian packages that dpkg knows of, the packages of npm that the page of the lock file is
# bundled with, and those of Debian that the server was compiled with, as compiled_in.sh lists them: of these
# the server's relationship is STATIC_LINK. The same packages give the same bytes; EPOCH is the time that it tells.
set -euo pipefail

readonly version=$1 epoch=$2 lock=${3:-} compiled=${4:-}

# Lines of type, name, version, architecture.
Packages() {
  printf 'app\tclearance\t%s\t\n' "$version"
  dpkg-query -W -f='${db:Status-Status}\tdeb\t${Package}\t${Version}\t${Architecture}\n' |
    sed -n 's/^installed\t//p' | LC_ALL=C sort -u
  [[ -z $lock ]] || NpmPackages
  [[ -z $compiled ]] || sed 's/^/compiled\t/' "$compiled"
}

# Of the lock file's direct dependencies; what is for building only stays outside.
NpmPackages() {
  awk -F'"' '
    /^    "": \{/ { root = 1 }
    /^    \},?$/ { root = 0 }
    root && /^      "dependencies": \{/ { direct = 1; next }
    direct && /^      \}/ { direct = 0 }
    direct { wanted[$2] = 1 }
    /^    "node_modules\// { name = substr($2, 14) }
    name in wanted && /^      "version":/ { print "npm\t" name "\t" $4 "\t" }' "$lock" | LC_ALL=C sort
}

# To JSON. Names and versions of packages have no characters that it would have to escape.
Document() {
  awk -F'\t' -v created="$1" -v digest="$2" -v version="$version" '
    function id(type, name, arch) {
      if (type == "compiled") type = "deb"
      gsub(/\+/, "-plus", name); gsub(/[^A-Za-z0-9.-]/, "-", name)
      return "SPDXRef-" type "-" name (arch == "" ? "" : "-" arch)
    }
    function encoded(text) { gsub(/\+/, "%2B", text); gsub(/:/, "%3A", text); return text }
    function url(type, name, at, arch) {
      if (type == "deb" || type == "compiled") return "pkg:deb/debian/" encoded(name) "@" encoded(at) "?arch=" arch "&distro=bookworm"
      return "pkg:" (type == "npm" ? "npm/" : "generic/") encoded(name) "@" encoded(at)
    }
    BEGIN {
      print "{"
      print "  \"spdxVersion\": \"SPDX-2.3\","
      print "  \"dataLicense\": \"CC0-1.0\","
      print "  \"SPDXID\": \"SPDXRef-DOCUMENT\","
      print "  \"name\": \"clearance-" version "\","
      print "  \"documentNamespace\": \"https://spdx.org/spdxdocs/clearance-" version "-" digest "\","
      print "  \"creationInfo\": {\"created\": \"" created "\", \"creators\": [\"Tool: clearance-sbom\"]},"
      print "  \"documentDescribes\": [\"" id("app", "clearance", "") "\"],"
      print "  \"packages\": ["
    }
    {
      ids[NR] = id($1, $2, $4)
      relations[NR] = (NR == 1 ? "DESCRIBES" : $1 == "compiled" ? "STATIC_LINK" : "DEPENDS_ON")
      if (ids[NR] in is_told) next
      is_told[ids[NR]] = 1
      printf "%s    {\"SPDXID\": \"%s\", \"name\": \"%s\", \"versionInfo\": \"%s\", ", (NR > 1 ? ",\n" : ""), ids[NR], $2, $3
      printf "\"downloadLocation\": \"NOASSERTION\", \"filesAnalyzed\": false, "
      printf "\"licenseConcluded\": \"%s\", ", ($1 == "app" ? "Apache-2.0" : "NOASSERTION")
      printf "\"externalRefs\": [{\"referenceCategory\": \"PACKAGE-MANAGER\", \"referenceType\": \"purl\", "
      printf "\"referenceLocator\": \"%s\"}]}", url($1, $2, $3, $4)
    }
    END {
      print "\n  ],\n  \"relationships\": ["
      for (i = 1; i <= NR; ++i) {
        printf "    {\"spdxElementId\": \"%s\", ", (i == 1 ? "SPDXRef-DOCUMENT" : ids[1])
        printf "\"relationshipType\": \"%s\", ", relations[i]
        printf "\"relatedSpdxElement\": \"%s\"}%s\n", ids[i], (i < NR ? "," : "")
      }
      print "  ]\n}"
    }'
}

packages=$(Packages)
digest=$(sha256sum <<<"$packages" | cut -d' ' -f1)
Document "$(date -u -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ)" "$digest" <<<"$packages"
