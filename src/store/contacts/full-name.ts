/** A contact's first and last name in a statement, where `contact` is its row; null of one without. */
export const CONTACT_NAME =
  "nullif(trim(concat_ws(' ', contact.fields->>'first_name', contact.fields->>'last_name')), '')";
