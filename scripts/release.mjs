// npm run release -- [--dry-run] [--to FOLDER]: checks that the commit can be released, and makes the archive, its SBOM and their checksums;
// without --dry-run it also sets the tag. It publishes nothing: the tag is pushed, and the files are uploaded, by hand.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { root } from "./install.mjs";

const { values } = parseArgs({
  options: { "dry-run": { type: "boolean" }, to: { type: "string", default: "release" } },
});

const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const tag = `v${version}`;
const notes = notesOf(readFileSync(join(root, "CHANGELOG.md"), "utf8"));

const problems = [
  !/^\d+\.\d+\.\d+$/.test(version) && `package.json has the version ${version}: three numbers are needed`,
  notes === undefined && `CHANGELOG.md has no part "## [${version}] - YYYY-MM-DD" with anything below it`,
  git("status", "--porcelain") !== "" && "there are changes that are not committed",
  git("tag", "--list", tag) !== "" && `the tag ${tag} is there already: raise the version in package.json`,
].filter(Boolean);
if (problems.length > 0) {
  for (const problem of problems) console.error(`Not released: ${problem}.`);
  process.exit(1);
}

const folder = resolve(root, values.to);
mkdirSync(folder, { recursive: true });
const archive = `${name}-${version}.tar.gz`;
const sbom = `${name}-${version}.cdx.json`;
git("archive", "--format=tar.gz", `--prefix=${name}-${version}/`, `--output=${join(folder, archive)}`, "HEAD");
writeFileSync(join(folder, sbom), run("npm", ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"]));
const sums = [archive, sbom].map((file) => `${sha256(join(folder, file))}  ${file}\n`);
writeFileSync(join(folder, "SHA256SUMS"), sums.join(""));
if (!values["dry-run"])
  git("tag", "--annotate", "--cleanup=verbatim", "--message", `${name} ${version}\n\n${notes}`, tag);

console.log(`${name} ${version}, commit ${git("rev-parse", "HEAD")}`);
console.log(`${values["dry-run"] ? "would be tagged" : "tagged"} ${tag}; files in ${folder}:\n${sums.join("")}`);
console.log(notes);

/** The changelog's part about this version, without its heading. */
function notesOf(changelog) {
  const parts = changelog.split(/^## /m).slice(1);
  const own = parts.find((part) => part.startsWith(`[${version}] - `) && /^\S+ - \d{4}-\d\d-\d\d\n/.test(part));
  const text = own?.slice(own.indexOf("\n")).trim();
  return text === "" ? undefined : text;
}

function git(...args) {
  return run("git", args).trim();
}

function run(program, args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 27,
  });
  if (status === 0) return stdout;
  console.error(`Not released: ${program} ${args[0]} failed: ${error?.message ?? stderr}`);
  process.exit(1);
}

function sha256(file) {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
