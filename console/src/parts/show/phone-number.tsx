/** A North American number as people write it, (212) 555-0123; any other in groups behind its plus sign. */
export function formatPhone(e164: string): string {
  const [, area, exchange, line] = /^\+1(\d{3})(\d{3})(\d{4})$/.exec(e164) ?? [];
  if (area !== undefined) return `(${area}) ${exchange}-${line}`;
  return e164.replace(/^(\+\d{2})(\d{2,4})(\d{3,4})(\d*)$/, "$1 $2 $3 $4").trim();
}

/** A phone number, in one piece and with its E.164 form on hover. */
export function PhoneNumber({ number }: { number: string | null | undefined }) {
  if (!number) return <>–</>;
  return (
    <span title={number} style={{ whiteSpace: "nowrap" }}>
      {formatPhone(number)}
    </span>
  );
}
