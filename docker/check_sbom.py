#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_sbom.py SBOM PACKAGES: whether an SPDX document of sbom.sh has every Debian package of a list of
lines "name version", each once, and is whole."""

import json
import re
import sys


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
    debian = {
        (package["name"], package["versionInfo"])
        for package in found.values()
        if package["externalRefs"][0]["referenceLocator"].startswith("pkg:deb/debian/")
    }
    assert debian == wanted, debian ^ wanted
    related = {relation["relatedSpdxElement"] for relation in document["relationships"]}
    assert related == set(found), related ^ set(found)
    others = sorted(f"{p['name']} {p['versionInfo']}" for p in found.values() if (p["name"], p["versionInfo"]) not in debian)
    print(f"   the SBOM has {len(debian)} packages of Debian, and {', '.join(others)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
