import { LISTS } from "./evidence-pack.ts";

/** So many rows of each list are on the page; all are in its file. */
export const PAGE_ROWS = 500;

const TITLES: Readonly<Record<string, string>> = {
  [LISTS.consents]: "Consents, with their proofs",
  [LISTS.optOuts]: "Opt-outs and returns, with the contact's words",
  [LISTS.decisions]: "Decisions: whether a text or call was allowed, and by which rule",
  [LISTS.texts]: "Texts",
  [LISTS.calls]: "Calls",
  [LISTS.lists]: "Lists that the contact is on",
  [LISTS.screening]: "Do-not-call lists, look-ups, and what counts now",
  [LISTS.erasures]: "Erasures",
  [LISTS.audit]: "Changes by people and keys",
  [LISTS.chain]: "Links of the hash chains",
};

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escaped = (value: unknown): string => {
  if (value === null || value === undefined) return "";
  const text =
    value instanceof Date ? value.toISOString() : typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.replace(/[&<>"']/g, (found) => ESCAPES[found]!);
};

const table = (rows: readonly object[]): string => {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const head = names.map((name) => `<th>${escaped(name.replaceAll("_", " "))}</th>`).join("");
  const lines = rows.map((row) => {
    const cells = row as Record<string, unknown>;
    return `<tr>${names.map((name) => `<td>${escaped(cells[name])}</td>`).join("")}</tr>`;
  });
  return `<div><table><thead><tr>${head}</tr></thead><tbody>\n${lines.join("\n")}\n</tbody></table></div>`;
};

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:#111}
div{overflow-x:auto}table{border-collapse:collapse;font-size:13px}th,td{border:1px solid #ccc;padding:.3rem .5rem;text-align:left;vertical-align:top;
max-width:26rem;overflow-wrap:anywhere}th{background:#f3f3f3}h2{margin-top:2rem}dt{font-weight:600}`;

/** What a person reads of a pack: no scripts, nothing from elsewhere. */
export function evidencePage(
  about: {
    made_at: string;
    tenant_id: string;
    mode: string;
    contact_id: string;
    phone_numbers: readonly string[];
    left_out_phone_numbers: readonly string[];
    erased_at: Date | null;
    fingerprint: string;
  },
  { shown, counts }: { shown: Readonly<Record<string, object[]>>; counts: Readonly<Record<string, number>> },
): string {
  const facts = {
    "Made at": about.made_at,
    Tenant: about.tenant_id,
    Mode: about.mode,
    Contact: about.contact_id,
    Numbers: about.phone_numbers.join(", ") || "none is kept",
    ...(about.left_out_phone_numbers.length > 0 && {
      "Left out": `${about.left_out_phone_numbers.join(", ")}: also another contact's now, so what is on record of it is not here`,
    }),
    "Signed with the key": about.fingerprint,
  };
  const erased = about.erased_at
    ? `<p><strong>This contact was erased at ${escaped(about.erased_at)}.</strong> What was the person's is gone. What stays: that and when it was erased, and which consents went, as links of the hash chain.</p>`
    : "";
  const sections = Object.entries(TITLES).map(([name, title]) => {
    const [rows, count] = [shown[name] ?? [], counts[name] ?? 0];
    const more = count > rows.length ? `<p>The first ${rows.length} of ${count}; all are in ${escaped(name)}.</p>` : "";
    return `<h2>${escaped(title)} (${count})</h2>${more}${rows.length > 0 ? table(rows) : "<p>None.</p>"}`;
  });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Evidence of ${escaped(about.contact_id)}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><style>${STYLE}</style></head><body>
<h1>What is on record about ${escaped(about.phone_numbers[0] ?? about.contact_id)}</h1>
${erased}<dl>${Object.entries(facts)
    .map(([name, value]) => `<dt>${name}</dt><dd>${escaped(value)}</dd>`)
    .join("")}</dl>
<p>Times are in UTC. README.txt says how to check that nothing of this was changed.</p>
${sections.join("\n")}
</body></html>
`;
}
