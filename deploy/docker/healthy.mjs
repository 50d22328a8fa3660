// The image's HEALTHCHECK: ends with 0 while this container's API answers.
const { ok } = await fetch(`http://127.0.0.1:${process.env.PORT || 8080}/healthz`, {
  signal: AbortSignal.timeout(4_000),
}).catch(() => ({ ok: false }));
process.exit(ok ? 0 : 1);
