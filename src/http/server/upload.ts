import { createHash } from "node:crypto";
import type { MultipartFile, MultipartValue } from "@fastify/multipart";
import type { FastifyRequest } from "fastify";
import { canonicalJson } from "#domain/values/canonical.ts";
import { AppError, failure, invalidField } from "#domain/values/errors.ts";
import { refuseUnstorable } from "#domain/values/json.ts";
import { type Upload, type Uploads, UploadTooLarge } from "#ports/uploads.ts";
import { noteBodyHash } from "./body.ts";

/** A file that came with a request, under the name that the sender gave it. */
export type SentFile = Upload & { fileName: string };

/** Names and values beside the file: a mapping of 1,000 columns fits. */
const MAX_FIELD_BYTES = 256 * 1024;
const MAX_FIELDS = 20;
const MAX_FILE_NAME = 200;

const sent = new WeakMap<FastifyRequest, SentFile>();

export const fileOf = (request: FastifyRequest): SentFile | undefined => sent.get(request);

/**
 * Reads a form with one file: the file goes to `uploads` as it comes in, the fields become the request's body, with the
 * file's name as `file`. 415 for any other body, 413 for a file over `maxBytes`, 400 for a form that cannot be read.
 */
export async function receiveUpload(request: FastifyRequest, uploads: Uploads, maxBytes: number): Promise<void> {
  if (!request.isMultipart()) throw failure("unsupported_media_type", "Content-Type must be multipart/form-data");
  const fields: Record<string, string> = {};
  // One more than may be is enough to know that it is too large.
  const limits = { files: 1, fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES, fileSize: maxBytes + 1 };
  try {
    for await (const part of request.parts({ limits })) {
      if (part.type === "field") addField(fields, part);
      else await keepFile(request, part, uploads, maxBytes);
    }
  } catch (error) {
    throw asAppError(error, maxBytes);
  }
  refuseUnstorable(fields);
  const file = sent.get(request);
  noteBodyHash(
    request,
    createHash("sha256")
      .update(canonicalJson(fields))
      .update(file?.sha256 ?? "")
      .digest(),
  );
  request.body = file ? { ...fields, file: file.fileName } : fields;
}

/** Removes the file unless an operation has made it its own. */
export async function dropUpload(request: FastifyRequest, uploads: Uploads): Promise<void> {
  const file = sent.get(request);
  if (file) await uploads.remove(file.name);
}

/** From here on the file is the operation's. */
export const releaseUpload = (request: FastifyRequest): void => {
  sent.delete(request);
};

function addField(fields: Record<string, string>, { fieldname, value, valueTruncated }: MultipartValue): void {
  if (valueTruncated) throw invalidField(fieldname, `must have at most ${MAX_FIELD_BYTES} bytes`);
  if (fieldname === "file") throw invalidField("file", "must be a file");
  if (Object.hasOwn(fields, fieldname)) throw invalidField(fieldname, "must come once");
  fields[fieldname] = String(value);
}

async function keepFile(request: FastifyRequest, part: MultipartFile, uploads: Uploads, maxBytes: number) {
  if (part.fieldname !== "file") throw invalidField(part.fieldname, "is not a known file; send one as `file`");
  const kept = await uploads.keep(part.file, maxBytes);
  const fileName = nameOf(part.filename);
  sent.set(request, { ...kept, fileName });
}

/** The last part of what may be a path, without what cannot be shown. */
function nameOf(given: string | undefined): string {
  const last = (given ?? "").split(/[/\\]/).at(-1)!;
  return last.replace(/\p{C}/gu, "").toWellFormed().slice(0, MAX_FILE_NAME).trim() || "file";
}

function asAppError(error: unknown, maxBytes: number): unknown {
  if (error instanceof UploadTooLarge) {
    return failure("payload_too_large", `file is larger than ${maxBytes} bytes, the most that is taken`);
  }
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (code === "FST_FILES_LIMIT") return invalidField("file", "must be one file");
  if (code?.startsWith("FST_") && statusCode === 413)
    return failure("payload_too_large", "The form has too many parts");
  if (error instanceof AppError || !isFormError(error)) return error;
  return failure("invalid_request", "The form could not be read to its end");
}

/** Of the sender's making: what the disk or the database says is not. */
const isFormError = (error: unknown): boolean => {
  const { code, syscall } = error as { code?: string; syscall?: string };
  return syscall === undefined && (code === undefined || /^(FST_|ERR_STREAM|ECONNRESET|ECONNABORTED)/.test(code));
};
