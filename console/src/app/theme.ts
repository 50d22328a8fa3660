import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";

/** The one accent: a deep pine, dark enough at 7 for white text on it (5.9:1). */
const pine: MantineColorsTuple = [
  "#e9f7f4",
  "#d3ece8",
  "#a6d9d1",
  "#74c5ba",
  "#4cb3a6",
  "#2f9a8d",
  "#1a8277",
  "#0f6e66",
  "#0a5953",
  "#064641",
];

/** Cool and quiet, so that states are the only colours that speak. 6 is the dimmed text of the light scheme (5.3:1). */
const gray: MantineColorsTuple = [
  "#f6f8f8",
  "#eef1f2",
  "#e2e7e9",
  "#d3dade",
  "#bdc7cc",
  "#95a3aa",
  "#5f6d75",
  "#4b585f",
  "#364147",
  "#1d262b",
];

/** The dark scheme's greys, from text to canvas. 2 is its dimmed text (6.6:1 on 7). */
const dark: MantineColorsTuple = [
  "#d7dfe2",
  "#b3bfc4",
  "#93a1a7",
  "#6b7a81",
  "#37434a",
  "#2a353b",
  "#202a2f",
  "#182125",
  "#11181b",
  "#0c1113",
];

/** For what failed and for what cannot be taken back: white on 7 is 5.9:1. */
const red: MantineColorsTuple = [
  "#fff1f0",
  "#ffdfdc",
  "#fbc0bb",
  "#f39b95",
  "#ea7b74",
  "#df5f58",
  "#d2453f",
  "#b93630",
  "#982b26",
  "#7a211d",
];

const SYSTEM_FONT =
  'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif';
const SYSTEM_MONO =
  'ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';

/** The colours of an alert: those of `.parley-tone` in styles.css. Mantine's own are glaring in the dark scheme. */
const ALERTS: Readonly<Record<string, readonly [background: string, text: string]>> = {
  red: ["light-dark(#fce6e4, #43201e)", "light-dark(#8f2620, #f3aaa4)"],
  yellow: ["light-dark(#fbf0d2, #3a2f14)", "light-dark(#6d4c00, #ecc873)"],
  teal: ["light-dark(#dcf0eb, #15352f)", "light-dark(#0a5a4d, #86d3c3)"],
  gray: ["light-dark(#e8edef, #29343a)", "light-dark(#3d4a51, #bcc8cd)"],
};

function alertVariables(_theme: unknown, { color }: { color?: string }) {
  const [background, text] = ALERTS[color ?? ""] ?? [];
  return { root: background === undefined ? {} : { "--alert-bg": background, "--alert-color": text } };
}

export const theme = createTheme({
  primaryColor: "pine",
  primaryShade: { light: 7, dark: 7 },
  colors: { pine, gray, dark, red },
  black: "#1d262b",
  fontFamily: SYSTEM_FONT,
  fontFamilyMonospace: SYSTEM_MONO,
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.125rem" },
  spacing: { xs: "0.375rem", sm: "0.5rem", md: "0.75rem", lg: "1rem", xl: "1.5rem" },
  radius: { xs: "3px", sm: "5px", md: "7px", lg: "10px", xl: "14px" },
  defaultRadius: "sm",
  headings: {
    fontFamily: SYSTEM_FONT,
    fontWeight: "650",
    sizes: {
      h1: { fontSize: "1.25rem", lineHeight: "1.3" },
      h2: { fontSize: "1rem", lineHeight: "1.4" },
      h3: { fontSize: "0.875rem", lineHeight: "1.45" },
      h4: { fontSize: "0.8125rem", lineHeight: "1.45" },
      h5: { fontSize: "0.8125rem", lineHeight: "1.45" },
      h6: { fontSize: "0.75rem", lineHeight: "1.45" },
    },
  },
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    Alert: { vars: alertVariables },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
    Modal: { defaultProps: { centered: true, closeButtonProps: { "aria-label": "Close this window" } } },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": "Close this note" } } },
    Drawer: { defaultProps: { position: "right", size: "lg" } },
    Paper: { defaultProps: { withBorder: true } },
    Badge: { defaultProps: { variant: "light", radius: "sm", tt: "none", fw: 550 } },
    Skeleton: { defaultProps: { radius: "sm" } },
  },
});

/** What is wrong with a field: 5.4:1 and 5.3:1. Mantine's own is 8 in the dark scheme, which is 1.9:1 there. */
const FIELD_ERRORS = {
  light: { "--mantine-color-error": "var(--mantine-color-red-7)" },
  dark: { "--mantine-color-error": "var(--mantine-color-red-4)" },
};

/** The page behind the cards, a shade away from them in both schemes. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...FIELD_ERRORS.light,
    "--parley-canvas": "#f6f8f8",
    "--parley-line": "#e2e7e9",
    "--parley-hover": "#f0f4f4",
  },
  dark: { ...FIELD_ERRORS.dark, "--parley-canvas": "#11181b", "--parley-line": "#2a353b", "--parley-hover": "#202a2f" },
});
