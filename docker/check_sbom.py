#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_sbom.py SBOM PACKAGES: whether an SPDX document of sbom.sh has every Debian package of a list of
lines "name version", each once, and beside them those that the server was compiled with, and is whole."""

import json
import re
import sys

# What the server has of these is compiled in, and no shared library tells of it.
HEADERS_ALONE = (r"nlohmann-json3-dev", r"libboost[0-9.]+-dev", r"libhwy-dev", r"libstdc\+\+-[0-9]+-dev")


def main(sbom: str, listed: str) -> None:
    with open(sbom, encoding="utf-8") as file:
        document = json.load(file)
    with open(listed, encoding="utf-8") as file:
        wanted = {tuple(line.split()) for line in file}
    found = {}
    for package in document["packages"]:
        name = package["SPDXID"]
        assert re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", name), name
        assert name not in found, name
        found[name] = package
    (urls,) = {len(package["externalRefs"]) for package in found.values()}
    assert urls == 1 and document["spdxVersion"] == "SPDX-2.3"
    debian: set[tuple[str, ...]] = {
        (package["name"], package["versionInfo"])
        for package in found.values()
        if package["externalRefs"][0]["referenceLocator"].startswith("pkg:deb/debian/")
    }
    related = {relation["relatedSpdxElement"] for relation in document["relationships"]}
    assert related == set(found), related ^ set(found)
    compiled = {
        (found[relation["relatedSpdxElement"]]["name"], found[relation["relatedSpdxElement"]]["versionInfo"])
        for relation in document["relationships"]
        if relation["relationshipType"] == "STATIC_LINK"
    }
    assert wanted <= debian and debian - wanted <= compiled, (debian ^ wanted) - compiled
    for pattern in HEADERS_ALONE:
        assert any(re.fullmatch(pattern, name) for name, _ in compiled), f"none of {sorted(compiled)} is {pattern}"
    others = sorted(f"{p['name']} {p['versionInfo']}" for p in found.values() if (p["name"], p["versionInfo"]) not in debian)
    print(f"   the SBOM has {len(wanted)} packages of Debian, and {', '.join(others)}")
    print(f"   compiled in: {', '.join(sorted(name for name, _ in compiled))}")


if __name__ == "__main__":
    main(*sys.argv[1:])
