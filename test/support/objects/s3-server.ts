import { readdirSync } from "node:fs";
import { join } from "node:path";
import S3rver from "s3rver";
import type { S3Settings } from "#adapters/shared-objects/s3-client.ts";
import { aFolder } from "#test/support/source/folder.ts";

/** As node:test's context, or whatever else runs what was left to be closed. */
type Owner = { after(close: () => unknown): void };

export type S3Server = {
  url: string;
  bucket: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
  /** The names of all objects, whoever wrote them, in order. */
  keys(): string[];
};

const BUCKET = "parley-test";
/** As s3rver writes an object's bytes. */
const OBJECT = "._S3rver_object";

/**
 * npm's s3rver, in this process: a server that others wrote, with buckets, ranges, ETags and XML errors. It has no checksums and looks at no
 * signature, so that what it stores is compared by its ETag.
 */
export async function startS3(t: Owner): Promise<S3Server> {
  const directory = aFolder("s3");
  const server = new S3rver({
    port: 0,
    address: "127.0.0.1",
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET }],
  });
  const { port } = await server.run();
  t.after(() => server.close());
  return {
    url: `http://127.0.0.1:${port}`,
    bucket: BUCKET,
    credentials: { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" },
    keys() {
      const files = readdirSync(join(directory, BUCKET), { recursive: true, withFileTypes: true });
      return files
        .filter((file) => file.isFile() && file.name.endsWith(OBJECT))
        .map((file) => join(file.parentPath, file.name).slice(join(directory, BUCKET).length + 1, -OBJECT.length))
        .sort();
    },
  };
}

/** How the adapter reaches it, directly or by another address. */
export const settingsOf = ({ bucket, credentials, url }: S3Server, by: string = url): S3Settings => ({
  bucket,
  prefix: "recordings",
  endpoint: by,
  pathStyle: true,
  credentials,
});

/** The same for a process of the service. */
export const s3Env = ({ bucket, credentials, url }: S3Server, by: string = url): Record<string, string> => ({
  PARLEY_OBJECTS: `s3://${bucket}/recordings`,
  PARLEY_S3_ENDPOINT: by,
  PARLEY_S3_PATH_STYLE: "on",
  PARLEY_S3_ACCESS_KEY_ID: credentials.accessKeyId,
  PARLEY_S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
});
