import { fileURLToPath } from "node:url";
import { httpUrl, matching, oneOf, optional, type Parse, preset, SettingProblem, secret } from "./setting.ts";

export type ObjectsAddress = { kind: "s3"; bucket: string; prefix: string } | { kind: "folder"; path: string };

/** As Amazon names buckets; other stores take no more. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)*$/;

/** `s3://bucket`, `s3://bucket/prefix` or `file:///folder`. Printed as it was written. */
const objectsAddress: Parse<ObjectsAddress> = (text) => {
  const wrong = new SettingProblem("must be s3://bucket, s3://bucket/prefix or file:///folder");
  const url = URL.parse(text);
  if (url === null || url.username || url.password || url.search || url.hash || url.port) throw wrong;
  const as = (address: ObjectsAddress) => Object.defineProperty(address, "toString", { value: () => text });
  if (url.protocol === "s3:") {
    const prefix = url.pathname.replace(/^\//, "").replace(/\/$/, "");
    if (!BUCKET.test(url.hostname) || (prefix !== "" && !PREFIX.test(prefix)) || prefix.length > 200) throw wrong;
    return Object.freeze(as({ kind: "s3", bucket: url.hostname, prefix }));
  }
  if (url.protocol !== "file:" || url.hostname !== "" || url.pathname === "/") throw wrong;
  return Object.freeze(as({ kind: "folder", path: fileURLToPath(url) }));
};

const key = matching(/^\S+$/, "a key without spaces");

/** Settings of the store that all nodes share. */
export const OBJECT_SETTINGS = {
  objects: optional(
    "PARLEY_OBJECTS",
    objectsAddress,
    "Store that all nodes share for recordings and pictures: `s3://bucket/prefix`, or `file:///folder` for one that every node has mounted. They are written to the data directory first, and go from there once it has confirmed them. Unset: they stay in the data directory.",
  ),
  s3Endpoint: optional(
    "PARLEY_S3_ENDPOINT",
    httpUrl,
    "Address of a store that speaks S3 and is not Amazon's, such as `https://objects.example.com`.",
  ),
  s3Region: optional(
    "PARLEY_S3_REGION",
    matching(/^[a-z0-9-]{1,40}$/, "the name of a region"),
    "Region of the bucket. Unset: as Amazon's own programs find it, and with PARLEY_S3_ENDPOINT `us-east-1`.",
  ),
  s3PathStyle: preset(
    "PARLEY_S3_PATH_STYLE",
    "off",
    oneOf("on", "off"),
    "`on`: the bucket is named in the path and not in the host's name, as most stores want it that are not Amazon's.",
  ),
  s3AccessKeyId: secret(
    "PARLEY_S3_ACCESS_KEY_ID",
    key,
    "Access key of the bucket. Unset: as Amazon's own programs find it (environment, profile, role of the machine).",
  ),
  s3SecretAccessKey: secret("PARLEY_S3_SECRET_ACCESS_KEY", key, "The secret of that access key."),
  s3Encryption: optional(
    "PARLEY_S3_ENCRYPTION",
    matching(/^(AES256|aws:kms(=\S+)?)$/, "AES256, aws:kms or aws:kms=KEY"),
    "Encryption at rest that is asked for with each object: `AES256`, `aws:kms` or `aws:kms=KEY`. Unset: what the bucket does by itself.",
  ),
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings of the store that contradict each other. */
export function objectProblems(env: Environment): string[] {
  const isSet = (name: string) => Boolean(env[name] || env[`${name}_FILE`]);
  const [id, word] = ["PARLEY_S3_ACCESS_KEY_ID", "PARLEY_S3_SECRET_ACCESS_KEY"];
  const names = ["PARLEY_S3_ENDPOINT", "PARLEY_S3_REGION", "PARLEY_S3_PATH_STYLE", id!, word!, "PARLEY_S3_ENCRYPTION"];
  if (!env.PARLEY_OBJECTS?.startsWith("s3:"))
    return names.filter(isSet).map((name) => `${name} has no effect without PARLEY_OBJECTS=s3://...`);
  if (isSet(id!) === isSet(word!)) return [];
  return [isSet(id!) ? `${word} is needed with ${id}` : `${id} is needed with ${word}`];
}
