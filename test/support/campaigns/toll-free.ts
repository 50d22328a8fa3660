/** A toll-free number, of simulated phones and of stand-ins. */
export const TOLL_FREE_NUMBER = "+18005550144";

/** What a business says of a toll-free number's texts. */
export const TOLL_FREE_FIELDS = {
  ...{ business_name: "Acme Inc.", website: "https://acme.example", email: "ops@acme.example" },
  ...{ use_case: "marketing", use_case_summary: "Offers to customers who asked for them.", sample_message: "Hi Ann!" },
  ...{ opt_in_type: "web_form", opt_in_description: "Customers tick a box on our form." },
  ...{ opt_in_urls: ["https://acme.example/form"], monthly_messages: 20_000 },
  ...{ street: "1 Main St", city: "New York", state: "NY", postal_code: "10001", country: "US" },
  ...{ contact_first_name: "Ann", contact_last_name: "Lee", contact_phone: "+12125550123" },
} as const;

/** What it may say besides. */
export const TOLL_FREE_MORE = {
  ...{ business_type: "private_profit", registration_number: "12-3456789", registration_country: "US" },
  ...{ privacy_policy_url: "https://acme.example/privacy", terms_url: "https://acme.example/terms" },
} as const;
