#!/bin/sh
# Within the image's build, in /opt/parley: leaves the packages that the service needs, for this platform, and the users' file of the image.
set -eu

platform=$(node_modules/node/bin/node --print '`${process.platform}/${process.arch}`')

# The console is built; its packages go. What is there is the lockfile's: nothing is fetched. It is no workspace any more, since npm would
# keep its packages.
npm pkg delete workspaces
npm prune --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error
rm -rf console/src console/build console/public console/node_modules node_modules/@parley

# Of the speech detector's libraries those of this platform.
libraries=node_modules/onnxruntime-node/bin/napi-v6
for folder in "$libraries"/*/*; do
  [ "$folder" = "$libraries/$platform" ] || rm -rf "$folder"
done

# What no program reads at run time: types, maps, documents. Licences stay.
rm -rf node_modules/typescript node_modules/@typescript node_modules/@types
find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.md' \) \
  ! -iname '*licen[cs]e*' ! -iname '*notice*' -delete

# The image is read-only for everybody, and readable for whichever user it runs as.
chmod -R a+rX,go-w .
mkdir -p /image/etc /image/data/recordings /image/data/uploads
chmod 0700 /image/data /image/data/*
printf '%s\n' 'root:x:0:0:root:/root:/sbin/nologin' 'parley:x:10001:10001:Parley:/data:/sbin/nologin' > /image/etc/passwd
printf '%s\n' 'root:x:0:' 'parley:x:10001:' > /image/etc/group
