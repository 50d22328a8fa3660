import type { Readable } from "node:stream";
import { checkedName, ObjectsAway } from "#ports/object-store.ts";
import { digestsOf } from "./digests.ts";
import type { FarStore, NearObject } from "./far-store.ts";
import { asAway, type S3, type S3Settings, s3Client } from "./s3-client.ts";

/** From the question to the first byte of the answer. Somebody waits for it. */
const ANSWER_WITHIN_MS = 10_000;

const base64 = (hex: string): string => Buffer.from(hex, "hex").toString("base64");

/** A bucket that speaks S3. Keys are the prefix and the object's name, which begins with its tenant's id. */
export function s3Store(settings: S3Settings): FarStore {
  const { bucket, prefix, encryption } = settings;
  const s3 = s3Client(settings);
  const at = (name: string) => ({
    Bucket: bucket,
    Key: prefix === "" ? checkedName(name) : `${prefix}/${checkedName(name)}`,
  });

  /** The answer, or undefined where there is no such object. */
  async function ask<T>(request: (s3: S3, signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), ANSWER_WITHIN_MS);
    try {
      return await request(await s3(), late.signal);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      if (late.signal.aborted) throw new ObjectsAway(`bucket ${bucket}: no answer within ${ANSWER_WITHIN_MS} ms`);
      throw asAway(error, bucket);
    } finally {
      clearTimeout(timer);
    }
  }

  async function read(name: string, range?: { start: number; end: number }): Promise<Readable | undefined> {
    const bytes = range && { Range: `bytes=${range.start}-${Math.max(range.end - 1, range.start)}` };
    const answer = await ask(({ sdk, client }, abortSignal) =>
      client.send(new sdk.GetObjectCommand({ ...at(name), ...bytes }), { abortSignal }),
    );
    return answer?.Body as Readable | undefined;
  }

  /** Compared by the digest that the store has of it. One that has none of these is read back. */
  async function has(name: string, near: NearObject): Promise<boolean> {
    const head = await ask(({ sdk, client }, abortSignal) =>
      client.send(new sdk.HeadObjectCommand({ ...at(name), ChecksumMode: "ENABLED" }), { abortSignal }),
    );
    if (head === undefined || head.ContentLength !== near.bytes) return false;
    if (head.ChecksumSHA256 !== undefined) return head.ChecksumSHA256 === base64(near.sha256);
    if (head.ETag === `"${near.md5}"`) return true;
    const stored = await read(name);
    return stored !== undefined && (await digestsOf(stored).catch(cutOff(bucket))).sha256 === near.sha256;
  }

  return {
    address: `s3://${bucket}${prefix === "" ? "" : `/${prefix}`}`,
    read,
    async size(name) {
      const head = await ask(({ sdk, client }, abortSignal) =>
        client.send(new sdk.HeadObjectCommand(at(name)), { abortSignal }),
      );
      return head?.ContentLength;
    },
    has,
    async put(name, near, signal) {
      const body = await near.open();
      try {
        const { sdk, client } = await s3();
        const command = new sdk.PutObjectCommand({
          ...at(name),
          Body: body,
          ContentLength: near.bytes,
          ContentType: name.endsWith(".wav") ? "audio/wav" : "application/octet-stream",
          // The store takes it only if what came is this.
          ChecksumSHA256: base64(near.sha256),
          ...(encryption && { ServerSideEncryption: encryption.by }),
          ...(encryption?.key && { SSEKMSKeyId: encryption.key }),
        });
        // Signed with it: older stores, which know no checksums, compare the body with this one.
        command.middlewareStack.add(
          (next) => (args) => {
            (args.request as { headers: Record<string, string> }).headers["x-amz-content-sha256"] = near.sha256;
            return next(args);
          },
          { step: "build", name: "contentDigest" },
        );
        const answer = await client.send(command, { abortSignal: signal });
        if (answer.ChecksumSHA256 === base64(near.sha256)) return;
      } catch (error) {
        throw asAway(error, bucket);
      } finally {
        body.destroy();
      }
      if (!(await has(name, near))) throw new ObjectsAway(`bucket ${bucket}: an object did not arrive as it was sent`);
    },
    async remove(name) {
      await ask(({ sdk, client }, abortSignal) => client.send(new sdk.DeleteObjectCommand(at(name)), { abortSignal }));
    },
    async setupProblem() {
      // Who may not ask this gets no answer; many stores do not know it.
      const answer = await ask(({ sdk, client }, abortSignal) =>
        client.send(new sdk.GetBucketVersioningCommand({ Bucket: bucket }), { abortSignal }),
      ).catch(() => undefined);
      return answer?.Status === "Enabled" ? VERSIONED : null;
    },
  } satisfies FarStore;
}

const VERSIONED =
  "the bucket keeps older versions: what is erased stays in it, unless a lifecycle rule of the bucket expires noncurrent versions";

function isAbsent(error: unknown): boolean {
  const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
  if (name === "NoSuchBucket") return false;
  return name === "NoSuchKey" || name === "NotFound" || $metadata?.httpStatusCode === 404;
}

const cutOff = (bucket: string) => (error: unknown) => {
  throw asAway(error, bucket);
};
