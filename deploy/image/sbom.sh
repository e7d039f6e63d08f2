#!/bin/sh
# sbom.sh VERSION KIND=LIST…: prints a software bill of materials (CycloneDX 1.5, JSON) of toolgate VERSION. Each LIST is
# a file with one Debian package a line: name, version, architecture, source package, source version, separated by tabs.
# KIND says how the package takes part: "static", inside the program, or "shared", beside it.
set -eu
version=$1
shift
distribution=$(. /etc/os-release && echo "$ID-$VERSION_ID")
{
  for argument in "$@"; do sed "s/^/${argument%%=*}\t/" "${argument#*=}"; done
} | LC_ALL=C sort -u | awk -F '\t' -v version="$version" -v distribution="$distribution" '
  # Package URLs escape "+", ":" and "~" in versions.
  function escaped(text) { gsub(/%/, "%25", text); gsub(/\+/, "%2B", text); gsub(/:/, "%3A", text); gsub(/~/, "%7E", text); return text }
  function purl() { return "pkg:deb/debian/" escaped($2) "@" escaped($3) "?arch=" $4 "&distro=" distribution }
  function component() {
    return "    {\"type\": \"library\", \"bom-ref\": \"" $1 ":" purl() "\", \"name\": \"" $2 "\", \"version\": \"" $3 \
      "\", \"purl\": \"" purl() "\", \"properties\": [{\"name\": \"toolgate:linkage\", \"value\": \"" $1 \
      "\"}, {\"name\": \"toolgate:source\", \"value\": \"" $5 " " $6 "\"}]}"
  }
  { components = components (NR > 1 ? ",\n" : "") component(); references = references (NR > 1 ? ", " : "") "\"" $1 ":" purl() "\"" }
  END {
    program = "pkg:generic/toolgate@" escaped(version)
    print "{\n  \"bomFormat\": \"CycloneDX\",\n  \"specVersion\": \"1.5\",\n  \"version\": 1,"
    print "  \"metadata\": {\"component\": {\"type\": \"application\", \"bom-ref\": \"" program "\", \"name\": \"toolgate\", \"version\": \"" version "\", \"purl\": \"" program "\"}},"
    print "  \"components\": [\n" components "\n  ],"
    print "  \"dependencies\": [{\"ref\": \"" program "\", \"dependsOn\": [" references "]}]\n}"
  }'
