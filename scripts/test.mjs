// npm test [-- files or folders], npm run test:long: the tests, also on a fresh clone. test/runner does the work, on Node 24.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureInstalled, root, runOnLockedNode } from "./install.mjs";

/** Programs of the system that tests need, by their Debian packages. Fetched when we are root and they are missing. */
const SYSTEM_PACKAGES = [
  {
    package: "postgresql-15",
    binary: "/usr/lib/postgresql/15/bin/postgres",
    neededBy: "the integration ring on the oldest PostgreSQL that we support",
  },
  { package: "faketime", binary: "/usr/bin/faketime", neededBy: "the fault of a clock that is wrong (F19)" },
  { package: "pgbouncer", binary: "/usr/sbin/pgbouncer", neededBy: "the fault of a pooler that shares sessions (F18)" },
  { package: "haproxy", binary: "/usr/sbin/haproxy", neededBy: "failover of a database of several machines" },
  { package: "etcd-server", binary: "/usr/bin/etcd", neededBy: "failover of a database of several machines" },
  { package: "patroni", binary: "/usr/bin/patroni", neededBy: "failover of a database of several machines" },
  { package: "sip-tester", binary: "/usr/bin/sipp", neededBy: "calls out and in against sipp" },
  { package: "baresip-core", binary: "/usr/bin/baresip", neededBy: "calls against a telephone in software" },
  { package: "kamailio", binary: "/usr/sbin/kamailio", neededBy: "calls through a SIP proxy" },
  {
    package: "kamailio-tls-modules",
    binary: "/usr/lib/x86_64-linux-gnu/kamailio/modules/tls.so",
    neededBy: "calls over a tenant's trunk by TLS",
  },
  { package: "rtpengine-daemon", binary: "/usr/bin/rtpengine", neededBy: "calls whose sound is relayed" },
  { package: "kannel", binary: "/usr/sbin/bearerbox", neededBy: "texts from another client of our SMPP stand-in" },
  { package: "chromium", binary: "/usr/bin/chromium", neededBy: "the console in a real browser" },
  {
    package: "pocketsphinx",
    binary: "/usr/bin/pocketsphinx_continuous",
    neededBy: "calls that need speech-to-text",
  },
  {
    package: "pocketsphinx-en-us",
    binary: "/usr/share/pocketsphinx/model/en-us/en-us/mdef",
    neededBy: "speech-to-text by pocketsphinx",
  },
  {
    package: "asterisk-core-sounds-en-wav",
    binary: "/usr/share/asterisk/sounds/en_US_f_Allison",
    neededBy: "telling recorded prompts from a voicemail's beep",
  },
];

/** What cannot be had is named; the ring that needs it then says that it was skipped. */
function installSystemPackages() {
  const missing = SYSTEM_PACKAGES.filter(({ binary }) => !existsSync(binary));
  if (missing.length === 0 || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return;
  const options = { stdio: "inherit", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
  spawnSync("apt-get", ["update", "--quiet"], options);
  for (const { package: name, neededBy } of missing) {
    const { status } = spawnSync("apt-get", ["install", "--yes", "--quiet", "--no-install-recommends", name], options);
    if (status !== 0) console.error(`${name} could not be installed; it is needed by ${neededBy}`);
  }
}

ensureInstalled();
const args = process.argv.slice(2);
// A run of a few files is a developer's: it waits for no packages.
const isWhole =
  args.includes("--long") ||
  (!args.includes("--watch") &&
    !args.includes("--citus") &&
    parseArgs({ args, strict: false }).positionals.length === 0);
if (isWhole) installSystemPackages();
await runOnLockedNode(join(root, "test", "runner", "run.ts"), args);
