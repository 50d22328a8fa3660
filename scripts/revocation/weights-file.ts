import type { Written } from "#domain/revocation/network.ts";

/** Networks that began differently err differently: their mean errs less. */
export const SEEDS: readonly number[] = [7, 1007, 2007];

/** The file that the service reads. Each network's bytes are one line, so that no formatter touches them. */
export const weightsFile = (written: readonly Written[], digest: string): string =>
  `import type { Written } from "./network.ts";

/** Written by \`npm run revocation:train\`, and held by a test: not for changing by hand. */
export const LEARNED_FROM = "${digest}";

export const WEIGHTS: readonly Written[] = [
${written.map(entry).join("")}];
`;

const entry = ({ scales, bytes }: Written): string => `  {
    scales: [
${scales.map((scale) => `      ${scale},\n`).join("")}    ],
    bytes:
      "${bytes}",
  },
`;
