import type * as Sdk from "@aws-sdk/client-s3";
import { ObjectsAway } from "#ports/object-store.ts";

export type S3Settings = {
  bucket: string;
  /** Without a slash at either end; empty for none. */
  prefix: string;
  /** Of a store that is not Amazon's. */
  endpoint?: string | undefined;
  region?: string | undefined;
  /** The bucket in the path and not in the host's name. */
  pathStyle: boolean;
  /** Unset: as Amazon's own programs find them (environment, profile, role of the machine). */
  credentials?: { accessKeyId: string; secretAccessKey: string } | undefined;
  /** Encryption at rest that is asked for with every object; unset: the bucket's own. */
  encryption?: { by: "AES256" | "aws:kms"; key?: string } | undefined;
};

const CONNECT_WITHIN_MS = 3_000;
/** A connection over which nothing comes or goes for this long is dead. */
const SILENT_MS = 20_000;
/** More would take longer than whoever waits for a recording does. */
const ATTEMPTS = 2;

const nothing = (): void => {};
const SILENT = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };

export type S3 = { sdk: typeof Sdk; client: Sdk.S3Client };

/** Loads the client with the first call: it is 40 MB of memory and 300 ms that a process without a bucket does not spend. */
export function s3Client(settings: S3Settings): () => Promise<S3> {
  let loading: Promise<S3> | undefined;
  const load = async (): Promise<S3> => {
    const sdk = await import("@aws-sdk/client-s3");
    const { endpoint, region, pathStyle, credentials } = settings;
    const client = new sdk.S3Client({
      forcePathStyle: pathStyle,
      maxAttempts: ATTEMPTS,
      requestHandler: { connectionTimeout: CONNECT_WITHIN_MS, socketTimeout: SILENT_MS },
      ...(endpoint === undefined ? {} : { endpoint }),
      // Other stores have no regions, but the signature needs a name.
      ...(region === undefined && endpoint === undefined ? {} : { region: region ?? "us-east-1" }),
      ...(credentials === undefined ? {} : { credentials }),
      // It writes to the standard output otherwise. Failures are ours to log.
      logger: SILENT,
      // Only what we ask for: stores that are not Amazon's refuse what they do not know.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
    });
    return { sdk, client };
  };
  return () => {
    loading ??= load();
    return loading;
  };
}

/** Words for what stores answer with most. */
const SENTENCES: Readonly<Record<string, string>> = {
  NoSuchBucket: "there is no such bucket",
  AccessDenied: "access is denied: the credentials may not do this",
  Forbidden:
    "access is denied: the credentials may not do this (reading needs s3:ListBucket too, to tell what is not there)",
  InvalidAccessKeyId: "the access key is unknown",
  SignatureDoesNotMatch: "the secret access key is wrong",
  RequestTimeTooSkewed: "this machine's clock, or the store's, is wrong by more than the store allows",
  PermanentRedirect: "the bucket is in another region",
  CredentialsProviderError: "there are no credentials",
  ENOTFOUND: "its host is unknown",
  ECONNREFUSED: "nothing listens at its address",
};

type Failure = { name?: string; code?: string; Code?: string; $metadata?: { httpStatusCode?: number } };

/** What went wrong as one sentence, without what the store wrote: that may name keys and requests. */
export function asAway(error: unknown, bucket: string): ObjectsAway {
  if (error instanceof ObjectsAway) return error;
  const { name, code, Code, $metadata } = (error ?? {}) as Failure;
  const status = $metadata?.httpStatusCode;
  const known = [Code, code, name].find((word) => word !== undefined && word in SENTENCES);
  const word = status === 403 && known === undefined ? "Forbidden" : known;
  const what =
    word === undefined
      ? `${code ?? name ?? "it failed"}${status === undefined ? "" : ` (${status})`}`
      : SENTENCES[word];
  return new ObjectsAway(`bucket ${bucket}: ${what}`, { cause: error });
}
