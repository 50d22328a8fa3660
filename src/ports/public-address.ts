/** This service as carriers reach it: whether its address can be one, and what answers there. */
export interface PublicAddress {
  /** Why no carrier would reach it, as a sentence; undefined: nothing is known against it. */
  problem(url: string): string | undefined;
  /** A POST to it, as carriers send. Redirects are not followed, since they follow none. Never throws: `failure` is the network's code. */
  post(url: string, signal: AbortSignal): Promise<{ status: number; text: string } | { failure: string }>;
}
