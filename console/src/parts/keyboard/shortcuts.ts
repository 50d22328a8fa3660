/** A key of the console: what is pressed, how that is written, and what it does. Where a sign takes Shift depends on the keyboard. */
type Shortcut = {
  keys: readonly string[];
  shown: readonly string[];
  does: string;
  where: "everywhere" | "list" | "recording";
};

/** Every shortcut there is. Handlers take their keys from here by name (`use-shortcuts.ts`), and the help shows the same. */
export const SHORTCUTS = {
  search: {
    keys: ["mod+K"],
    shown: ["Ctrl", "K"],
    does: "Search pages, contacts, campaigns and calls",
    where: "everywhere",
  },
  help: { keys: ["shift+?", "?"], shown: ["?"], does: "Show these shortcuts", where: "everywhere" },
  find: { keys: ["/", "shift+/"], shown: ["/"], does: "Go to the search of this page", where: "list" },
  clear: { keys: ["Escape"], shown: ["Esc"], does: "Empty the search", where: "list" },
  next: { keys: ["j"], shown: ["j"], does: "Next row, from anywhere on the page", where: "list" },
  previous: { keys: ["k"], shown: ["k"], does: "Previous row, from anywhere on the page", where: "list" },
  down: { keys: ["ArrowDown"], shown: ["↓"], does: "Next row", where: "list" },
  up: { keys: ["ArrowUp"], shown: ["↑"], does: "Previous row", where: "list" },
  first: { keys: ["Home"], shown: ["Home"], does: "First row", where: "list" },
  last: { keys: ["End"], shown: ["End"], does: "Last row", where: "list" },
  open: { keys: ["Enter"], shown: ["Enter"], does: "Open the row", where: "list" },
  choose: { keys: ["x"], shown: ["x"], does: "Choose the row, or not", where: "list" },
  play: { keys: ["space"], shown: ["Space"], does: "Play or pause", where: "recording" },
  back: { keys: ["ArrowLeft"], shown: ["←"], does: "Five seconds back", where: "recording" },
  ahead: { keys: ["ArrowRight"], shown: ["→"], does: "Five seconds ahead", where: "recording" },
} as const satisfies Record<string, Shortcut>;

export type ShortcutName = keyof typeof SHORTCUTS;
export const NAMES = Object.keys(SHORTCUTS) as ShortcutName[];

const held = new Map<ShortcutName, number>();
const listeners = new Set<() => void>();
let active: readonly ShortcutName[] = [];

/** Notes that a part of the page hears these keys; what is returned ends that. */
export function holdShortcuts(names: readonly ShortcutName[]): () => void {
  const add = (by: number) => {
    for (const name of names) held.set(name, (held.get(name) ?? 0) + by);
    active = NAMES.filter((name) => (held.get(name) ?? 0) > 0);
    for (const report of listeners) report();
  };
  add(1);
  return () => add(-1);
}

/** Those that something on the page hears now, in their order. */
export const activeShortcuts = (): readonly ShortcutName[] => active;

export function onShortcuts(report: () => void): () => void {
  listeners.add(report);
  return () => listeners.delete(report);
}
