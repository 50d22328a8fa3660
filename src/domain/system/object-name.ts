import type { Uuid } from "#domain/values/id.ts";

/** What an object is of: a call's recording, what came with a text, a picture that was uploaded to go along with some. */
export type ObjectOwner = { tenantId: Uuid; kind: "recording" | "media" | "picture"; id: Uuid };

const ID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const NAME = new RegExp(`^(${ID})/(?:(${ID})\\.wav|(media|pictures)/(${ID}))$`);

/** By its name, as app/plane/recordings.ts and domain/messaging/media.ts make it; undefined for what neither names. */
export function ownerOfObject(name: string): ObjectOwner | undefined {
  const [, tenantId, call, folder, id] = NAME.exec(name) ?? [];
  if (tenantId === undefined) return undefined;
  if (call !== undefined) return { tenantId, kind: "recording", id: call };
  return { tenantId, kind: folder === "media" ? "media" : "picture", id: id! };
}
