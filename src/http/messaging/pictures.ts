import * as contract from "#contract/messaging/threads.ts";
import { publicId } from "#domain/values/id.ts";
import { type Edge, route } from "#http/server/route.ts";
import { linkToken } from "#operations/accounts/link-token.ts";
import { uploadPicture } from "#operations/messaging/upload-picture.ts";

/** In the scope where forms are taken (http/contacts/imports.ts). */
export function pictureRoutes(edge: Edge): void {
  route(edge, contract.uploadPicture, async ({ ctx, caller, file }) => {
    const { id, contentType, bytes, expiresAt } = await uploadPicture(ctx, caller, file!);
    const mediaId = publicId("media", id);
    const token = linkToken(ctx, caller.tenantId, { what: "media", id: mediaId }, expiresAt);
    return {
      media_id: mediaId,
      url: `${ctx.publicUrl}/v1/media/${mediaId}?token=${token}`,
      content_type: contentType,
      bytes,
      expires_at: expiresAt.toISOString(),
    };
  });
}
