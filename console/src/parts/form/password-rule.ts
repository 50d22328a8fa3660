/** What the service asks of a new password, at every field of one. */
export const PASSWORD_RULE =
  "At least 12 characters of any kind. Not your e-mail address, and no common word with digits or signs around it.";
