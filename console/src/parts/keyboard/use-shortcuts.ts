import { getHotkeyHandler, useHotkeys } from "@mantine/hooks";
import { type KeyboardEvent, useEffect, useSyncExternalStore } from "react";
import { activeShortcuts, holdShortcuts, onShortcuts, SHORTCUTS, type ShortcutName } from "./shortcuts.ts";

type Handlers = Partial<Record<ShortcutName, () => void>>;

const namesOf = (handlers: Handlers) => Object.keys(handlers) as ShortcutName[];

/**
 * Shortcuts that work anywhere on the page, but where somebody types.
 *
 * @param handlers by the names of the list of shortcuts; always the same names
 * @param notIn tags of elements in which keys are their own
 */
export function useShortcuts(handlers: Handlers, notIn?: string[]): void {
  const names = namesOf(handlers);
  useHeld(names, true);
  useHotkeys(
    names.map((name) => [SHORTCUTS[name].keys, () => handlers[name]?.()]),
    notIn,
  );
}

/** Shortcuts of the element that hears the answered handler. Where it is not `isOn`, the help does not name them. */
export function useShortcutsHere(handlers: Handlers, isOn = true): (event: KeyboardEvent<HTMLElement>) => void {
  const names = namesOf(handlers);
  useHeld(names, isOn);
  return getHotkeyHandler(names.map((name) => [SHORTCUTS[name].keys, () => handlers[name]?.()]));
}

function useHeld(names: readonly ShortcutName[], isOn: boolean): void {
  const all = names.join();
  useEffect(() => (isOn && all !== "" ? holdShortcuts(all.split(",") as ShortcutName[]) : undefined), [all, isOn]);
}

/** What works on the page that is shown. */
export const useActiveShortcuts = (): readonly ShortcutName[] =>
  useSyncExternalStore(onShortcuts, activeShortcuts, activeShortcuts);
