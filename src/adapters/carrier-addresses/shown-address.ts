/** A webhook's address as people may see it: whoever set it may have put a key into its user info or its query. What is no address stays, up to these. */
export function shownAddress(address: string): string {
  if (/^https?:/i.test(address) && URL.canParse(address)) {
    const { protocol, host, pathname } = new URL(address);
    return `${protocol}//${host}${pathname}`;
  }
  const [start = ""] = address.split(/[?#]/, 1);
  return start.slice(start.lastIndexOf("@") + 1);
}
