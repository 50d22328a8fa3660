// What is made anew for each tenant that loads the demo data; all else comes from the file (file.ts).

const company = {
  entityType: "PRIVATE_PROFIT",
  country: "US",
  vertical: "REAL_ESTATE",
  street: "1 Main Street",
  city: "Phoenix",
  state: "AZ",
  postalCode: "85004",
  email: "legal@sunrise.example",
};

/** One in each status, by the end of its EIN (docs/simulator.md). */
export const BRANDS = [
  { ...company, displayName: "Sunrise Realty", companyName: "Sunrise Realty LLC", ein: "12-3456789" },
  { ...company, displayName: "Sunrise Homes", companyName: "Sunrise Homes LLC", ein: "12-3450000" },
  { ...company, displayName: "Sunrise Lending", companyName: "Sunrise Lending LLC", ein: "12-3459999" },
];

/** The campaigns' own ids; those of the history are given in test/demo/story.ts. */
export const DEMO_CAMPAIGNS = {
  finished: "demo_open_house",
  spring: "demo_spring",
  scheduled: "demo_summer",
  heard: "demo_spring_calls",
  survey: "demo_check_ups",
  running: "demo_sellers_nearby",
  runningCalls: "demo_visitor_calls",
} as const;

/** Of the visitors, how many are called with sound while somebody looks on. The others are texted. */
export const CALLED = 5;

/** A conversation that has been had, for the start to point at: an objection answered. */
export const TALKER = "+14805550144";
