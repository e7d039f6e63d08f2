#!/bin/sh
# check_stamp.sh PROGRAM VERSION REVISION: fails unless the program says that it is what the image's labels say.
set -eu
said=$("$1" version)
labelled="toolgate $2${3:+ ($3)}"
[ "$said" = "$labelled" ] || {
  echo "check_stamp.sh: the labels would say \"$labelled\", but the program is \"$said\"; set VERSION and REVISION" >&2
  exit 1
}
