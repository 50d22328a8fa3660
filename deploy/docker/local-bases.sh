#!/bin/sh
# Two base images of this Debian machine's own packages, where no registry can be reached: localhost/parley-build-base, with node and npm, and
# localhost/parley-base. The Dockerfile is then built over them: see deploy/README.md. Needs buildah, root, and the packages tini and nodejs.
set -eu

make() { # name, packages
  name=$1
  shift
  folder=$(mktemp -d)
  mkdir -p "$folder/usr/bin" "$folder/usr/sbin" "$folder/usr/lib" "$folder/usr/lib64" "$folder/etc" "$folder/tmp" "$folder/root" \
    "$folder/proc" "$folder/sys" "$folder/dev" "$folder/run" "$folder/var/tmp"
  for link in bin sbin lib lib64; do ln -s "usr/$link" "$folder/$link"; done
  chmod 0755 "$folder"
  chmod 1777 "$folder/tmp" "$folder/var/tmp"
  dpkg -L "$@" | grep -v -E '^/usr/share/(doc|man|locale|info|lintian)/' | sed -E 's#^/(s?bin|lib|lib64)/#/usr/\1/#' | sort -u |
    while read -r path; do
      if [ -L "$path" ] || [ -f "$path" ]; then printf '%s\n' "${path#/}"; fi
    done > "$folder.list"
  tar -C / -cf - -T "$folder.list" | tar -C "$folder" -xf -
  # Links that a package's install script makes.
  [ -e "$folder/usr/bin/sh" ] || ln -s dash "$folder/usr/bin/sh"
  # npm may be newer than the package that it came with.
  [ ! -e "$folder/usr/bin/npm" ] || cp -a /usr/lib/node_modules "$folder/usr/lib/"
  [ ! -d /etc/ssl/certs ] || { mkdir -p "$folder/etc/ssl" && cp -aL /etc/ssl/certs "$folder/etc/ssl/"; }
  printf 'root:x:0:0:root:/root:/bin/sh\n' > "$folder/etc/passwd"
  printf 'root:x:0:\n' > "$folder/etc/group"
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$folder" / > "$folder.id"
  buildah config --env PATH=/usr/local/bin:/usr/bin:/usr/sbin:/bin --cmd /bin/sh "$container"
  buildah commit --quiet "$container" "localhost/$name" > "$folder.id"
  buildah rm "$container" > "$folder.id"
  rm -rf "$folder" "$folder.list" "$folder.id"
}

ran='base-files libc6 libgcc-s1 libstdc++6 dash coreutils libacl1 libattr1 libselinux1 libgmp10 libpcre2-8-0'
# shellcheck disable=SC2086
make parley-base $ran
# shellcheck disable=SC2086
make parley-build-base $ran nodejs tini ca-certificates findutils grep sed tar gzip bash libtinfo6 libssl3
