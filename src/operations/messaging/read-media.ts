import type { Readable } from "node:stream";
import { endingOf, isShown, mediaName } from "#domain/messaging/media.ts";
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

/** A file that came with a text. 404 for one that is not kept, or not any more; those of no campaign are the whole tenant's. */
export async function getMedia(ctx: Context, caller: Caller, id: Uuid): Promise<MediaFile> {
  const found = await media.find(ctx.db, caller.tenantId, id, caller.organizations === undefined);
  const name = mediaName(caller.tenantId, id);
  const bytes = found?.state === "kept" ? await ctx.objects.size(name) : undefined;
  if (!found || bytes === undefined) throw notFound("Media");
  const mediaId = publicId("media", id);
  return {
    bytes,
    etag: `"${mediaId}-${bytes}"`,
    fileName: `${mediaId}.${endingOf(found.content_type)}`,
    contentType: found.content_type ?? "application/octet-stream",
    isShown: isShown(found.content_type),
    async read(range) {
      const stream = await ctx.objects.read(name, range);
      if (!stream) throw notFound("Media");
      return stream;
    },
  };
}
