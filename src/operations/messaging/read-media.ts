import type { Readable } from "node:stream";
import { endingOf, isShown, mediaName, pictureName } from "#domain/messaging/media.ts";
import { PICTURE_HEAD_BYTES, pictureType } from "#domain/messaging/picture-type.ts";
import type { ByteRange } from "#domain/values/byte-range.ts";
import { notFound } from "#domain/values/errors.ts";
import { publicId, type Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as media from "#store/messaging/media.ts";

/** A file's bytes. `etag` changes when they do, which is never. */
export type MediaFile = {
  bytes: number;
  etag: string;
  fileName: string;
  contentType: string;
  /** A page may show it. */
  isShown: boolean;
  read(range?: ByteRange): Promise<Readable>;
};

/**
 * A file that came with a text, or a picture that was uploaded to go along with some. 404 for one that is not kept, or not any more; those of no campaign
 * are the whole tenant's.
 */
export async function getMedia(ctx: Context, caller: Caller, id: Uuid): Promise<MediaFile> {
  const isWholeTenant = caller.organizations === undefined;
  const found = await media.find(ctx.db, caller.tenantId, id, isWholeTenant);
  const isPicture = found === undefined && isWholeTenant;
  const name = isPicture ? pictureName(caller.tenantId, id) : mediaName(caller.tenantId, id);
  const bytes = isPicture || found?.state === "kept" ? await ctx.objects.size(name) : undefined;
  if (bytes === undefined) throw notFound("Media");
  const type = found ? found.content_type : await typeOf(ctx, name);
  const mediaId = publicId("media", id);
  return {
    bytes,
    etag: `"${mediaId}-${bytes}"`,
    fileName: `${mediaId}.${endingOf(type)}`,
    contentType: type ?? "application/octet-stream",
    isShown: isShown(type),
    async read(range) {
      const stream = await ctx.objects.read(name, range);
      if (!stream) throw notFound("Media");
      return stream;
    },
  };
}

/** An uploaded picture's bytes say what it is. */
async function typeOf(ctx: Context, name: string): Promise<string | null> {
  const head = await ctx.objects.read(name, { start: 0, end: PICTURE_HEAD_BYTES });
  if (!head) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of head) chunks.push(chunk as Buffer);
  return pictureType(Buffer.concat(chunks)) ?? null;
}
