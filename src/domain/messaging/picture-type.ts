/** How files begin that carriers take as pictures. */
const BEGINNINGS: readonly (readonly [type: string, begin: string])[] = [
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
];

/** As many bytes of a file say what it is. */
export const PICTURE_HEAD_BYTES = 8;

/** What a picture is by its bytes, whatever its name says: JPEG, PNG or GIF, which all carriers take. Undefined for anything else. */
export function pictureType(head: Uint8Array): string | undefined {
  const text = String.fromCharCode(...head.subarray(0, PICTURE_HEAD_BYTES));
  return BEGINNINGS.find(([, begin]) => text.startsWith(begin))?.[0];
}
