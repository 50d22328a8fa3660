import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { mantineStyles } from "./build/mantine-styles.ts";
import { pageFiles } from "./build/page-files.ts";
import { precompress } from "./build/precompress.ts";

/** Of `npm start`; `npm run dev -w console` shows the sources as they are written, with that service behind them. */
const SERVICE = process.env.PARLEY_URL ?? "http://localhost:8080";

/** What a single page uses: it stays with that page. */
const OF_ONE_PAGE = /node_modules[\\/](wavesurfer\.js|uplot)[\\/]/;

/** Libraries of fields, which no page shows that is opened first: the shell and the home page do without. */
const OF_FIELDS =
  /node_modules[\\/](@mantine[\\/](form|spotlight)|react-number-format|klona|fast-deep-equal|@mantine[\\/]core[\\/]esm[\\/]components[\\/](Autocomplete|Checkbox|Chip|Combobox|FileButton|Fieldset|Grid|Highlight|MultiSelect|NumberInput|PasswordInput|Pill|PillsInput|Radio|Select|Switch|TagsInput|Timeline))[\\/]/;

/** What pages share; the palette is loaded when it is first wanted. */
const SHARED = /[\\/](console[\\/]src[\\/](api|app[\\/](?!palette\.)|parts)|contract[\\/])/;

/** Charts, and the library that draws them: pages without one do without both. */
const OF_CHARTS = /[\\/](src[\\/]parts[\\/]chart|node_modules[\\/]uplot)[\\/]/;

/** Of it, what campaigns, agents, lists and numbers have in common, and what has fields: the first page does without. */
const OF_FORMS =
  /[\\/]src[\\/]parts[\\/]((agents|campaigns|contact-table|numbers)[\\/]|form[\\/](add-factor|number-search|organizations-select|picture-addresses|prove-form|search-field|server-form|test-phone|token)\.)/;

/**
 * A page takes few files and each of them is kept by the browser: libraries change with an upgrade only, what pages share with
 * the console, what their forms share, and each folder of pages has one.
 */
const CHUNKS = [
  {
    name: "libraries",
    test: (id: string) => /node_modules[\\/]/.test(id) && !OF_ONE_PAGE.test(id) && !OF_FIELDS.test(id),
    priority: 4,
  },
  { name: "fields", test: OF_FIELDS, priority: 3.5 },
  { name: "shared", test: (id: string) => SHARED.test(id) && !OF_FORMS.test(id) && !OF_CHARTS.test(id), priority: 3 },
  // After what pages share, which a chunk before it would take with it as what charts need: then every page would load the charts.
  { name: "charts", test: OF_CHARTS, priority: 2 },
  { name: "forms", test: OF_FORMS, priority: 1.5 },
  {
    debugName: "a folder of pages",
    name: (id: string) => /[\\/]src[\\/]pages[\\/]([\w-]+)[\\/]/.exec(id)?.[1],
    priority: 1,
  },
];

export default defineConfig({
  base: "/console/",
  // The one part of the contract that is more than types: who may do what (contract/accounts/roles.ts).
  resolve: { alias: { "#contract": fileURLToPath(new URL("../contract", import.meta.url)) } },
  plugins: [react(), mantineStyles(), pageFiles(), precompress()],
  // The policy lets nothing in that is written into another file.
  build: {
    target: ["chrome123", "firefox125", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    // On a slow machine it would tell a newcomer which of our plugins take long.
    rolldownOptions: { checks: { pluginTimings: false }, output: { codeSplitting: { groups: CHUNKS } } },
  },
  // The service takes what changes something from its own pages only: to it the request comes from there.
  server: {
    proxy: { "/v1": { target: SERVICE, ws: true, changeOrigin: true, headers: { origin: new URL(SERVICE).origin } } },
  },
});
