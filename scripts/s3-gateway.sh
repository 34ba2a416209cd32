#!/bin/bash
# Real S3 server for tests: Ceph RADOS Gateway (1 mon + 1 memstore osd + 1 radosgw, no mgr), without installing anything
# into the host: the dependency closure is downloaded by apt with its own state and unpacked under $ROOT, then run by chroot.
# usage: s3-gateway.sh fetch|up|down ; env: S3_ROOT S3_SUITES S3_PORT S3_INSTANCE (servers of several runs share one download)
set -euo pipefail; export LC_ALL=C DEBIAN_FRONTEND=noninteractive
ROOT=${S3_ROOT:-/var/tmp/wheelhouse-s3}; SUITES=${S3_SUITES:-"sid trixie bookworm"}; PORT=${S3_PORT:-39480}; MONPORT=${S3_MONPORT:-$((PORT+9))}
P=$ROOT/root; D=/var/tmp/rgw-${S3_INSTANCE:-0}; H=$P$D
AK=${S3_ACCESS_KEY:-AKTEST}; SK=${S3_SECRET_KEY:-SKTEST}
rin() { chroot "$P" "$@"; }
fetch() {
  [ -e "$ROOT/ok" ] && return 0
  local mirror suite A=$ROOT/apt; mirror=$(grep -hoE 'https?://[^ ]*/debian/?( |$)' -r /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | head -1 | tr -d ' ' || true)
  : "${mirror:?no Debian mirror configured}"
  for suite in $SUITES; do
    umount "$P/proc" 2>/dev/null || true; rm -rf --one-file-system "$A" "$P"; mkdir -p "$A"/{lists/partial,cache/archives/partial,etc} "$P"/{dev,proc,tmp,etc,run,root,var/tmp} "$P"/usr/{bin,sbin,lib,lib64}; : >"$A/status"
    for d in bin sbin lib lib64; do ln -s usr/$d "$P/$d"; done
    printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n' "$mirror" "$suite" >"$A/etc/x.sources"
    cat >"$A/conf" <<C
Dir::Etc::sourcelist "/dev/null"; Dir::Etc::sourceparts "$A/etc"; Dir::State::lists "$A/lists"; Dir::State::status "$A/status"; Dir::Cache "$A/cache";
APT::Install-Recommends "0"; APT::Sandbox::User "root"; Acquire::Languages "none"; Acquire::Retries "3";
C
    if APT_CONFIG=$A/conf apt-get update -qq && APT_CONFIG=$A/conf apt-get install -qq -y --download-only radosgw ceph-mon ceph-osd >"$A/log" 2>&1 \
       && ls "$A"/cache/archives/*.deb | xargs -P"$(nproc)" -I{} dpkg-deb -x {} "$P"; then
      mknod -m 666 "$P/dev/null" c 1 3; mknod -m 666 "$P/dev/zero" c 1 5; mknod -m 444 "$P/dev/urandom" c 1 9; mknod -m 444 "$P/dev/random" c 1 8
      chmod 1777 "$P/tmp" "$P/var/tmp"; printf 'root:x:0:0::/root:/bin/sh\nceph:x:64045:64045::/:/bin/false\n' >"$P/etc/passwd"; printf 'root:x:0:\nceph:x:64045:\n' >"$P/etc/group"; echo '127.0.0.1 localhost' >"$P/etc/hosts"; cp /etc/os-release "$P/etc/" 
      rm -rf "$A/cache" "$A/lists"
      if rin radosgw --version >"$ROOT/version" 2>&1; then echo "$suite" >"$ROOT/ok"; return 0; fi
    fi
    echo "s3-gateway: suite $suite not usable" >&2
  done; return 1
}
conf() { cat >"$H/ceph.conf" <<C
[global]
fsid = $FSID
mon host = [v2:127.0.0.1:$MONPORT]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
ms bind ipv6 = false
ms mon client mode = crc
ms cluster mode = crc
ms service mode = crc
ms client mode = crc
run dir = $D/run
crash dir = $D/run
log file = $D/log/\$name.log
admin socket = $D/run/\$name.asok
pid file = $D/run/\$name.pid
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
[mon.a]
mon data = $D/mon
mon data avail crit = 1
mon data avail warn = 2
[osd.0]
osd data = $D/osd
osd objectstore = memstore
memstore device bytes = 4294967296
osd class load list = *
osd class default list = *
[client.rgw]
rgw data = $D/rgw
rgw frontends = beast endpoint=127.0.0.1:$PORT
rgw thread pool size = 32
rgw dns name = localhost
rgw lc debug interval = 10
rgw crypt require ssl = false
C
}
waitrgw() { local f=$H/run/client.rgw.pid; for _ in $(seq 1 300); do curl -fs -o /dev/null "http://127.0.0.1:$PORT/" && return 0; grep -q "Caught signal" "$H/log/client.rgw.log" && break; sleep .2; done; tail -20 "$H/log/client.rgw.log" >&2; return 1; }
down() { for n in client.rgw osd.0 mon.a; do f=$H/run/$n.pid; [ -s "$f" ] && kill -9 "$(cat "$f")" 2>/dev/null || true; done; }
case ${1:-up} in
fetch) fetch ;;
up) fetch; down; rm -rf "$H"; [ "$(cat "$ROOT/ok")" != bookworm ] || mount -t proc proc "$P/proc"; # ceph 16 asserts without /proc
  mkdir -p "$H"/{mon,osd,rgw,run,log}; FSID=$(cat /proc/sys/kernel/random/uuid); conf; K="-c $D/ceph.conf"
  rin monmaptool --create --clobber --fsid "$FSID" --addv a "[v2:127.0.0.1:$MONPORT]" $D/monmap >/dev/null
  rin ceph-mon $K -i a --mkfs --monmap $D/monmap; rin ceph-mon $K -i a
  rin ceph $K osd new "$FSID" 0 >/dev/null
  rin ceph-osd $K -i 0 --mkfs --osd-uuid "$FSID" >>"$H/log/mkfs" 2>&1; rin ceph-osd $K -i 0 >>"$H/log/mkfs" 2>&1
  rin radosgw $K -n client.rgw; waitrgw
  rin radosgw-admin $K user create --uid=test --display-name=test --access-key="$AK" --secret-key="$SK" >/dev/null 2>&1 ;;
down) down; rm -rf "$H" ;;
esac
