#!/bin/sh
# Makes sure of the programs that the tests marked "programs" run: installs what is missing where
# apt and the rights are there, else names it and fails.
set -eu

packages=
need() { # PROGRAM PACKAGE...
  program=$1
  shift
  command -v "$program" >/dev/null 2>&1 || packages="$packages $*"
}

need soffice libreoffice-writer
need java default-jre-headless
need chromium chromium
need pdftoppm poppler-utils
fc-list 2>/dev/null | grep -qi 'noto.*cjk' || packages="$packages fonts-noto-cjk fontconfig"

[ -z "$packages" ] && exit 0

if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages
else
  echo "make test-all needs:$packages (names of Debian packages); install them and run it again" >&2
  exit 1
fi
