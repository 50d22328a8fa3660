/**
 * Operations that change something, or are no GET, and leave nothing in the audit log, each with the reason. All others leave exactly one entry: a test
 * runs every one.
 */
export const NOT_AUDITED: Readonly<Record<string, string>> = {
  actInHandsetCall: "a contact's doing on the simulated carrier",
  askWhatIf: "a question, which changes nothing",
  callFromHandset: "a contact's doing on the simulated carrier",
  checkIdentityProvider: "a check, which changes nothing",
  createPasskeyOptions: "a challenge, which changes nothing",
  createProofOptions: "a challenge, which changes nothing",
  createSignInOptions: "a challenge, which changes nothing",
  markAllRead: "what a person has read is a read",
  markThread: "what a person has read is a read",
  playTurn: "a rehearsal, which changes nothing",
  preflightCampaign: "a check, which changes nothing",
  preflightNewCampaign: "a check, which changes nothing",
  preflightNewVoiceCampaign: "a check, which changes nothing",
  previewAgent: "a rehearsal, which changes nothing",
  scriptHandset: "how a made-up contact behaves on the simulated carrier",
  startSignOn: "a challenge, which changes nothing",
  testCarrier: "a check, which changes nothing",
  testModel: "a check, which changes nothing",
  textFromHandset: "a contact's doing on the simulated carrier",
  writeMessage: "a text is sent, which the conversation itself keeps with who wrote it",
};

/** Operations whose body is about one phone, `phone_number`, in any notation. */
export const ABOUT_A_PHONE: readonly string[] = ["addDoNotCall", "lookUpNumber", "removeDoNotCall"];
