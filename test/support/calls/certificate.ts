import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { aFolder } from "#test/support/source/folder.ts";

/** No authority but the certificate's own key. */
const CONFIG = `[ca]
default_ca = own
[own]
database = index
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
`;

/** A key and a certificate that it signs itself, PEM, for these names (`IP:127.0.0.1`, `DNS:example.com`), from a year to the end of another. */
export function selfSigned({ names, years }: { names: readonly string[]; years: readonly [number, number] }): {
  cert: string;
  key: string;
} {
  const cwd = aFolder("certificate");
  writeFileSync(join(cwd, "config"), CONFIG);
  writeFileSync(join(cwd, "index"), "");
  const openssl = (command: string) => {
    const { status, stderr } = spawnSync("openssl", command.split(" "), { cwd });
    if (status !== 0) throw new Error(`openssl ${command}: ${stderr}`);
  };
  const extension = `-addext subjectAltName=${names.join(",")}`;
  openssl(`req -new -newkey rsa:2048 -nodes -keyout key -out request -subj /CN=trunk ${extension}`);
  const time = `-startdate ${years[0]}0101000000Z -enddate ${years[1]}1231000000Z`;
  openssl(`ca -batch -selfsign -config config -keyfile key -in request -out cert -notext ${time}`);
  return { cert: readFileSync(join(cwd, "cert"), "utf8"), key: readFileSync(join(cwd, "key"), "utf8") };
}
