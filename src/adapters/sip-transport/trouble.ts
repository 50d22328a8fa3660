/** Why no server of a trunk can be spoken to, as a sentence without its end. `error` is undefined where nothing came back at all. */
export function troubleOf(host: string, error: (Error & { code?: string }) | undefined): string {
  if (error === undefined) return `${host} does not answer`;
  const { code = "" } = error;
  if (code === "CERT_HAS_EXPIRED") return `The TLS certificate of ${host} has expired`;
  if (code === "CERT_NOT_YET_VALID") return `The TLS certificate of ${host} is not valid yet`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return `The TLS certificate of the server is for another name than ${host}`;
  if (/CERT|SELF_SIGNED|ISSUER/.test(code))
    return `The TLS certificate of ${host} is signed by no authority that is known here`;
  if (/^(ERR_SSL_|EPROTO)/.test(code)) return `${host} does not speak TLS at that port`;
  return `${host} cannot be reached (${code === "" ? error.message : code})`;
}
