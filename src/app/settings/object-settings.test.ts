import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError, readConfig } from "./config.ts";

function problemsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
  return [];
}

test("a store is a bucket with or without a prefix, or a folder, and is printed as it was written", () => {
  const of = (text: string) => readConfig({ PARLEY_OBJECTS: text }).objects;

  assert.deepEqual({ ...of("s3://calls") }, { kind: "s3", bucket: "calls", prefix: "" });
  assert.deepEqual({ ...of("s3://calls.example/a/b-1/") }, { kind: "s3", bucket: "calls.example", prefix: "a/b-1" });
  assert.deepEqual({ ...of("file:///mnt/calls") }, { kind: "folder", path: "/mnt/calls" });
  assert.equal(String(of("s3://calls/a")), "s3://calls/a");
  for (const wrong of [
    "calls",
    "/mnt/calls",
    "s3://",
    "s3://c",
    "s3://Calls_1",
    "s3://calls/.hidden",
    "s3://calls/a//b",
    "s3://key:word@calls",
    "s3://calls?region=x",
    "file:///",
    "file://host/folder",
    "https://calls",
  ]) {
    assert.match(problemsOf({ PARLEY_OBJECTS: wrong })[0] ?? wrong, /^PARLEY_OBJECTS must be/, wrong);
  }
});

test("settings of a bucket have no effect without one, and a key needs its secret", () => {
  assert.deepEqual(problemsOf({ PARLEY_S3_REGION: "eu-central-1", PARLEY_OBJECTS: "file:///mnt/calls" }), [
    "PARLEY_S3_REGION has no effect without PARLEY_OBJECTS=s3://...",
  ]);
  assert.deepEqual(problemsOf({ PARLEY_OBJECTS: "s3://calls", PARLEY_S3_ACCESS_KEY_ID: "id" }), [
    "PARLEY_S3_SECRET_ACCESS_KEY is needed with PARLEY_S3_ACCESS_KEY_ID",
  ]);
  assert.deepEqual(problemsOf({ PARLEY_OBJECTS: "s3://calls", PARLEY_S3_ENCRYPTION: "rot13" }), [
    "PARLEY_S3_ENCRYPTION must be AES256, aws:kms or aws:kms=KEY",
  ]);
});
