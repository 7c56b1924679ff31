# Sourced by scripts that try things in a bare Debian root. Needs root and debootstrap.
#   bare_root [ROOT]     sets `root`; ROOT is kept and used again, otherwise a temporary one is removed at the end
#   inside 'COMMANDS'    runs them there, in /tmp/steelyard
bare_root() {
  root=${1:-$(mktemp -d)}
  [ $# -gt 0 ] || trap 'rm -rf "$root"' EXIT
  local mirror
  mirror=$(sed -nE 's/^(deb +(\[[^]]*\] +)?|URIs: *)(http[^ ]+).*/\3/p' /etc/apt/sources.list /etc/apt/sources.list.d/* \
    2>/dev/null | head -1 || true)
  [ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase bookworm "$root" ${mirror:+"$mirror"} >/dev/null
  rm -rf "$root/tmp/steelyard" && mkdir -p "$root/tmp/steelyard"
}
inside() {
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
    sh -ec "cd /tmp/steelyard; $1"
}
