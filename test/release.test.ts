import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { aFolder } from "#test/support/source/folder.ts";
import { root } from "#test/support/source/source.ts";

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
const CHANGELOG = `# Changelog\n\n## [${version}] - 2026-11-24\n\n### Added\n\n- A thing.\n`;

function git(folder: string, ...args: string[]): string {
  const who = ["-c", "user.name=A test", "-c", "user.email=test@parley.example"];
  const { status, stdout, stderr } = spawnSync("git", [...who, ...args], { cwd: folder, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

/** A repository of a few files, with the script as it is. */
function aCheckout(changelog = CHANGELOG) {
  const folder = aFolder("release");
  git(folder, "init", "-q", "-b", "main");
  for (const file of ["package.json", "package-lock.json", "COMMIT", ".gitattributes"]) copy(folder, file);
  git(folder, "config", "user.name", "A test");
  git(folder, "config", "user.email", "test@parley.example");
  mkdirSync(join(folder, "scripts"));
  for (const file of ["scripts/release.mjs", "scripts/install.mjs"]) copy(folder, file);
  writeFileSync(join(folder, "CHANGELOG.md"), changelog);
  writeFileSync(join(folder, ".gitignore"), "release/\n");
  git(folder, "add", "-A");
  git(folder, "commit", "-q", "-m", "all");
  const release = (...args: string[]) =>
    spawnSync(process.execPath, ["scripts/release.mjs", ...args], { cwd: folder, encoding: "utf8" });
  return { folder, release };
}

const copy = (folder: string, file: string): void => writeFileSync(join(folder, file), readFileSync(join(root, file)));

test("a release is an archive that knows its commit, an SBOM of every package and checksums; the tag has the notes", () => {
  const { folder, release } = aCheckout();
  const tried = release("--dry-run", "--to", "release");
  assert.equal(tried.status, 0, tried.stderr);
  assert.equal(git(folder, "tag", "--list"), "", "a dry run sets no tag");

  const commit = git(folder, "rev-parse", "HEAD");
  const files = join(folder, "release");
  const archive = `parley-${version}.tar.gz`;
  assert.deepEqual(readdirSync(files).sort(), ["SHA256SUMS", `parley-${version}.cdx.json`, archive]);
  for (const line of readFileSync(join(files, "SHA256SUMS"), "utf8").trim().split("\n")) {
    const [sum, name] = line.split("  ");
    assert.equal(
      createHash("sha256")
        .update(readFileSync(join(files, name!)))
        .digest("hex"),
      sum,
    );
  }
  const unpacked = spawnSync("tar", ["-xzOf", join(files, archive), `parley-${version}/COMMIT`], { encoding: "utf8" });
  assert.equal(unpacked.stdout.trim(), commit, "which `parley --version` reads");
  const sbom = JSON.parse(readFileSync(join(files, `parley-${version}.cdx.json`), "utf8"));
  const names = sbom.components.map(({ name }: { name: string }) => name);
  for (const name of ["fastify", "pg"]) assert.ok(names.includes(name), name);

  assert.equal(release().status, 0);
  assert.equal(git(folder, "rev-list", "-n", "1", `v${version}`), commit);
  assert.match(git(folder, "tag", "-n9", "--list"), /A thing\./);
  const again = release();
  assert.equal(again.status, 1);
  assert.match(again.stderr, /the tag v\S+ is there already/);
});

test("a release with changes that are not committed, or without a word in the changelog, is refused", () => {
  const { folder, release } = aCheckout("# Changelog\n\n## [Unreleased]\n\n- A thing.\n");
  writeFileSync(join(folder, "a-new-file"), "");
  const { status, stderr } = release("--dry-run");
  assert.equal(status, 1);
  assert.match(stderr, /CHANGELOG\.md has no part/);
  assert.match(stderr, /not committed/);
});

test("this tree's changelog has a part about this version", () => {
  const headings = readFileSync(join(root, "CHANGELOG.md"), "utf8").match(/^## .*$/gm) ?? [];
  const own = headings.filter((heading) => heading.startsWith(`## [${version}] - `));
  assert.equal(own.length, 1, `of the headings ${headings.join(", ")}`);
  assert.match(own[0]!, / - \d{4}-\d\d-\d\d$/);
});
