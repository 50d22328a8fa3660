/** Thrown inside a response body that has grown past its cap. */
export class ResponseTooLargeError extends Error {
  constructor(maxBytes: number) {
    super(`The response has more than ${maxBytes} bytes`);
    this.name = "ResponseTooLargeError";
  }
}

/**
 * fetch for a provider that is not trusted to end: the body fails with ResponseTooLargeError past `maxBytes`, also when it never
 * has a line end. Redirects fail: a key is sent to the address that was configured and to no other.
 */
export function cappedFetch(maxBytes: number): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await globalThis.fetch(input, { ...init, redirect: "error" });
    if (response.body === null) return response;
    let bytes = 0;
    const cap = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) throw new ResponseTooLargeError(maxBytes);
        controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(cap), { status, statusText, headers });
  };
}
