import { MOST_MEDIA_BYTES, pictureName } from "#domain/messaging/media.ts";
import { PICTURE_HEAD_BYTES, pictureType } from "#domain/messaging/picture-type.ts";
import { failure, invalidField } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import type { Upload } from "#ports/uploads.ts";
import * as objectsToDelete from "#store/calls/objects-to-delete.ts";

/** Texts with it leave meanwhile, and carriers fetch it as they do. */
export const PICTURE_LASTS_MS = 90 * 86_400_000;

export type UploadedPicture = { id: Uuid; contentType: string; bytes: number; expiresAt: Date };

/**
 * Keeps a picture that texts are to take along, until its address expires. 400 for what is no picture by its bytes, 413 for one that is too large for
 * carriers, 409 where no carrier could fetch it, since the service has no public address.
 */
export async function uploadPicture(ctx: Context, caller: Caller, upload: Upload): Promise<UploadedPicture> {
  if (ctx.publicUrl === undefined)
    throw failure("conflict", "Carriers cannot fetch pictures from here: PARLEY_PUBLIC_URL is not set");
  if (upload.bytes > MOST_MEDIA_BYTES)
    throw failure("payload_too_large", `file is larger than ${MOST_MEDIA_BYTES} bytes, the most that carriers take`);
  const contentType = pictureType(await ctx.uploads.head(upload.name, PICTURE_HEAD_BYTES));
  if (contentType === undefined) throw invalidField("file", "must be a picture: JPEG, PNG or GIF");
  const { tenantId } = caller;
  const id = caller.newId();
  const name = pictureName(tenantId, id);
  const expiresAt = new Date(ctx.now().getTime() + PICTURE_LASTS_MS);
  // Noted first: what is kept is removed, also where this process dies in between.
  await objectsToDelete.add(ctx.db, tenantId, [name], expiresAt);
  await ctx.objects.put(name, await ctx.uploads.head(upload.name, upload.bytes));
  await ctx.uploads.remove(upload.name);
  return { id, contentType, bytes: upload.bytes, expiresAt };
}
