import { join } from "node:path";
import { objectFolder } from "#adapters/files/objects.ts";
import { folderStore } from "#adapters/shared-objects/folder.ts";
import { s3Store } from "#adapters/shared-objects/s3.ts";
import type { S3Settings } from "#adapters/shared-objects/s3-client.ts";
import { stagedObjects } from "#adapters/shared-objects/staged.ts";
import type { ObjectStore } from "#ports/object-store.ts";
import type { Config } from "./config.ts";

/** In the data directory: recordings of calls, and what came with texts; all of them, or those that no shared store has confirmed yet. */
const RECORDINGS = "recordings";

/** Where recordings and pictures are kept. */
export function objectsOf(config: Config): ObjectStore {
  const near = objectFolder(join(config.dataDir, RECORDINGS));
  const { objects } = config;
  if (objects === undefined) return near;
  return stagedObjects(
    near,
    objects.kind === "folder" ? folderStore(objects.path) : s3Store(bucketOf(config, objects)),
  );
}

function bucketOf(config: Config, { bucket, prefix }: { bucket: string; prefix: string }): S3Settings {
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey, s3Encryption } = config;
  const [by, key] = s3Encryption?.split("=") ?? [];
  return {
    bucket,
    prefix,
    endpoint: config.s3Endpoint,
    region: config.s3Region,
    pathStyle: config.s3PathStyle === "on",
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
    ...(by ? { encryption: { by: by as "AES256" | "aws:kms", ...(key ? { key } : {}) } } : {}),
  };
}
