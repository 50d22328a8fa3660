// What the audit log keeps of a request's body, where its operation says neither a before nor an after: the fields that are named here, and no other.
// A test finds a field that nobody has decided on.

/** Operations of whose body nothing is kept, each with the reason. */
export const BODY_LEFT_OUT: Readonly<Record<string, string>> = {
  acceptInvitation: "a password",
  addCampaignLeads: "contacts, of which the entry has how many",
  addNote: "it is about a contact",
  addVoiceCampaignLeads: "contacts, of which the entry has how many",
  changePassword: "passwords",
  completeSignOn: "what a provider sent, with a code",
  confirmAppFactor: "a code",
  createCall: "it is about a contact",
  createCampaign: "contacts; the entry has the campaign",
  createContactList: "contacts; the entry has the list and how many",
  createIdentityProvider: "a secret; the entry has what it became",
  createVoiceCampaign: "contacts; the entry has the campaign",
  importDoNotCall: "numbers, of which the entry has how many",
  injectIntoCall: "what an agent is to say to a contact",
  proveSession: "proofs",
  putConsent: "it is about a contact",
  putIdentityProvider: "a secret; the entry has before and after",
  setUp: "a password",
  signIn: "a password",
  signInByPasskey: "a proof",
  startImport: "contacts, and what their columns are called",
  updateContact: "it is about a contact; the entry has before and after",
  uploadPicture: "a file",
};

type Fields = {
  /** Paths, apart by spaces. Of a kept field that is no text, number or list of these, only what is named below it is kept. */
  kept: string;
  leftOut?: string;
};

const AGENT =
  "agent_name agent_type organization_id user_id prompt starting_message extraction_fields.name extraction_fields.description \
extraction_fields.type extraction_fields.choices extraction_fields.required model temperature drip_schedule.day drip_schedule.message \
reply_delay_ms max_replies_per_day working_hours.start working_hours.end working_hours.days allowed_links voice_id language detect_voicemail \
voicemail_message voice_speed voice_temperature ambient_sound ambient_sound_volume interruption_sensitivity responsiveness \
max_call_duration_ms end_call_after_silence_ms ring_duration_ms boosted_keywords record recording_disclosure transfer_to";
const BRAND =
  "entityType displayName country email vertical companyName phone street city state postalCode website brandRelationship";
const TOLL_FREE =
  "business_name website use_case use_case_summary sample_message opt_in_type opt_in_description opt_in_urls monthly_messages \
street street_2 city state postal_code country additional_information business_type registration_country doing_business_as opt_in_message help_message privacy_policy_url terms_url age_gated";
const CAMPAIGN =
  "campaign_name objective campaign_begin_time campaign_end_time calling_window.start calling_window.end calling_window.days";

/** Of every other operation with fields of its own. `tenant_id` is kept of none: the entry is that tenant's. */
export const BODY_FIELDS: Readonly<Record<string, Fields>> = {
  addDoNotCall: { kept: "phone_number organization_id reason" },
  assignTenDlcNumbers: { kept: "phone_numbers" },
  assignThread: { kept: "user_id" },
  changeContacts: {
    kept: "organization_id action filter.list_id filter.opted_out list_id expected_count dry_run",
    leftOut: "lead_ids filter.search filter.tag tag reason",
  },
  changeRetention: { kept: "messages_days calls_days recordings_days events_days requests_days" },
  changeSending: { kept: "daily_spend_limit time_zone" },
  changeSession: { kept: "mode" },
  checkCarrier: { kept: "", leftOut: "to_number" },
  connectCarrier: { kept: "replace dry_run" },
  createAgent: { kept: AGENT, leftOut: "extraction_fields" },
  createApiKey: { kept: "name mode scopes organization_ids allowed_addresses expires_at" },
  createAppFactor: { kept: "name" },
  createTollFreeVerification: {
    kept: `phone_number ${TOLL_FREE}`,
    leftOut: "email contact_first_name contact_last_name contact_phone registration_number",
  },
  resubmitTollFreeVerification: {
    kept: TOLL_FREE,
    leftOut: "email contact_first_name contact_last_name contact_phone registration_number",
  },
  createBrand: { kept: `${BRAND} carrier_id`, leftOut: "ein" },
  createCarrier: { kept: "name kind organization_id", leftOut: "credentials settings" },
  createOrganization: { kept: "name contact_email" },
  createPasskeyFactor: {
    kept: "name passkey.transports",
    leftOut: "passkey.credential passkey.client_data passkey.attestation",
  },
  createPhoneNumber: { kept: "area_code carrier_id organization_id user_id" },
  createTenDlcCampaign: {
    kept: "brandId useCase description messageFlow sample1 sample2 optInMessage optOutMessage helpMessage",
  },
  createUser: { kept: "name email permission" },
  linkPhoneNumber: { kept: "agent_id" },
  lookUpCampaign: { kept: "max_lookups carrier_id max_age_days" },
  lookUpList: { kept: "dry_run carrier_id max_age_days" },
  lookUpNumber: { kept: "phone_number carrier_id max_age_days" },
  moveClock: { kept: "advance_ms to" },
  purchasePhoneNumber: { kept: "phone_number carrier_id organization_id user_id" },
  putAgentScript: { kept: "questions.field questions.question questions.rephrased" },
  reanalyzeThreads: { kept: "organization_id", leftOut: "thread_ids" },
  removeDoNotCall: { kept: "phone_number organization_id" },
  resolveSetAside: { kept: "action" },
  resolveUnknownCall: { kept: "action" },
  resubmitBrand: { kept: BRAND, leftOut: "ein" },
  rotateApiKey: { kept: "overlap_seconds" },
  rotateCarrier: { kept: "", leftOut: "credentials" },
  setSignInPolicy: { kept: "factor_required organization_ids" },
  stopSending: { kept: "reason" },
  updateAgent: { kept: AGENT, leftOut: "extraction_fields" },
  updateCampaign: { kept: `${CAMPAIGN} media_urls sms_agent_id` },
  updateCarrier: { kept: "name organization_id", leftOut: "settings" },
  updateFactor: { kept: "name" },
  updateOrganization: { kept: "archived" },
  updatePhoneNumber: { kept: "resting_until" },
  updateUser: { kept: "name permission organization_ids" },
  updateVoiceCampaign: {
    kept: `${CAMPAIGN} voice_agent_id agent_outbound_number agent_outbound_numbers redial_enabled redial_config.max_attempts \
redial_config.retry_delay_minutes redial_config.retry_on max_concurrent_calls calls_per_second`,
  },
};
