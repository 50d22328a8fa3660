/** The fields that a contact has anyway, and the whole name, which fills two of them, in the words of people. Any other name is a field, too. */
export const FIELD_NAMES: Readonly<Record<string, string>> = {
  phone_number: "Phone number",
  full_name: "Whole name",
  first_name: "First name",
  last_name: "Last name",
  middle_name: "Middle name",
  email: "E-mail",
  birthday: "Birthday (YYYY-MM-DD)",
  address_line_1: "Address",
  address_line_2: "Address, second line",
  city: "City",
  state: "State",
  zip_code: "ZIP code",
  country: "Country",
  time_zone: "Time zone",
  company_name: "Company",
  company_position: "Position",
  company_industry: "Industry",
  lead_source: "Lead source",
  lead_status: "Lead status",
  lead_priority: "Lead priority",
  external_id: "ID in your own system",
  notes: "Notes",
  consent_basis: "Consent: what it rests on",
  consent_at: "Consent: when it was given",
  consent_source: "Consent: where it comes from",
  consent_proof: "Consent: proof",
};

/** What people call the columns, in the form of `fieldName`. */
const CALLED: Readonly<Record<string, string>> = {
  first: "first_name",
  fname: "first_name",
  given_name: "first_name",
  firstname: "first_name",
  last: "last_name",
  lname: "last_name",
  surname: "last_name",
  family_name: "last_name",
  lastname: "last_name",
  e_mail: "email",
  email_address: "email",
  mail: "email",
  address: "address_line_1",
  street: "address_line_1",
  street_address: "address_line_1",
  address_1: "address_line_1",
  address_2: "address_line_2",
  town: "city",
  province: "state",
  zip: "zip_code",
  zipcode: "zip_code",
  postal_code: "zip_code",
  postcode: "zip_code",
  company: "company_name",
  employer: "company_name",
  organization: "company_name",
  title: "company_position",
  job_title: "company_position",
  position: "company_position",
  industry: "company_industry",
  source: "lead_source",
  status: "lead_status",
  priority: "lead_priority",
  id: "external_id",
  crm_id: "external_id",
  timezone: "time_zone",
  dob: "birthday",
  birth_date: "birthday",
  date_of_birth: "birthday",
  comments: "notes",
  note: "notes",
};

/** Columns of whole names. The first of them fills the first and the last name, where no other does, so that texts can greet people. */
const WHOLE_NAMES: ReadonlySet<string> = new Set(
  "name full_name fullname whole_name contact contact_name customer customer_name client client_name lead_name".split(
    " ",
  ),
);
/** The field that the API parts into first and last name. */
export const WHOLE_NAME = "full_name";

const PHONE = /^(.*_)?(phone|mobile|cell|cellphone|telephone|tel|handy)(_?(number|no|num|nr|#|1))?$|^number$/;
/** Seven digits and what people write between them; Excel's rounded ones count, for their owner has to see them. */
export const LIKE_PHONE = /^\+?[\d\s().\-/]{7,24}$|^\d(\.\d+)?E\+\d+$/i;

/** As the API spells the name of a column: "First Name" is `first_name`. */
export const fieldName = (column: string): string => column.toLowerCase().replace(/[\s\-./]+/g, "_");

/** A field in words, whichever it is. */
export const fieldLabel = (field: string): string =>
  FIELD_NAMES[field] ?? field.charAt(0).toUpperCase() + field.slice(1).replaceAll("_", " ");

/**
 * What each column probably fills, by its name; the phone's, where none is called so, by what is in it. `null`: it is left
 * out. No field is filled twice.
 */
export function guessFields(header: readonly string[], rows: readonly { cells: string[] }[]): (string | null)[] {
  const names = header.map(fieldName);
  const phone = phoneColumn(names, rows);
  const taken = new Set(["phone_number"]);
  const called = names.map((name) => CALLED[name] ?? name);
  const hasNames = called.includes("first_name") || called.includes("last_name");
  return names.map((name, i) => {
    if (i === phone) return "phone_number";
    const field = !hasNames && WHOLE_NAMES.has(name) && !taken.has(WHOLE_NAME) ? WHOLE_NAME : called[i]!;
    if (field === "" || taken.has(field)) return null;
    taken.add(field);
    return field;
  });
}

function phoneColumn(names: readonly string[], rows: readonly { cells: string[] }[]): number {
  if (names.includes("phone_number")) return names.indexOf("phone_number");
  const called = names.findIndex((name) => PHONE.test(name));
  if (called >= 0) return called;
  const shares = names.map((_, i) => rows.filter(({ cells }) => LIKE_PHONE.test(cells[i]?.trim() ?? "")).length);
  const most = Math.max(0, ...shares);
  return most * 2 > rows.length ? shares.indexOf(most) : -1;
}
