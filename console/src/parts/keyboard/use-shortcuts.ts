import { getHotkeyHandler, useHotkeys } from "@mantine/hooks";
import { type KeyboardEvent, useEffect, useSyncExternalStore } from "react";
import { activeShortcuts, holdShortcuts, onShortcuts, SHORTCUTS, type ShortcutName } from "./shortcuts.ts";

type Handlers = Partial<Record<ShortcutName, () => void>>;

const namesOf = (handlers: Handlers) => Object.keys(handlers) as ShortcutName[];

const hotkeysOf = (handlers: Handlers) =>
  namesOf(handlers).flatMap((name) =>
    SHORTCUTS[name].keys.map((keys): [string, () => void] => [keys, () => handlers[name]?.()]),
  );

/**
 * Shortcuts that work anywhere on the page, but where somebody types and behind an open dialog.
 *
 * @param handlers by the names of the list of shortcuts; always the same names
 * @param notIn tags of elements in which keys are their own, instead; none: they work in fields and dialogs, too
 */
export function useShortcuts(handlers: Handlers, notIn?: string[]): void {
  useHeld(namesOf(handlers), true);
  const hotkeys = hotkeysOf(handlers);
  const ofPage = hotkeys.map(([keys, run]): [string, (event: globalThis.KeyboardEvent) => void, object] => [
    keys,
    (event) => {
      if (isTypedInto(event.target) || document.querySelector('[aria-modal="true"]')) return;
      event.preventDefault();
      run();
    },
    { preventDefault: false },
  ]);
  useHotkeys(notIn ? hotkeys : ofPage, notIn ?? []);
}

/** A box that is ticked takes no letters. */
function isTypedInto(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== "checkbox" && target.type !== "radio";
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** Shortcuts of the element that hears the answered handler. Where it is not `isOn`, the help does not name them. */
export function useShortcutsHere(handlers: Handlers, isOn = true): (event: KeyboardEvent<HTMLElement>) => void {
  useHeld(namesOf(handlers), isOn);
  return getHotkeyHandler(hotkeysOf(handlers));
}

function useHeld(names: readonly ShortcutName[], isOn: boolean): void {
  const all = names.join();
  useEffect(() => (isOn && all !== "" ? holdShortcuts(all.split(",") as ShortcutName[]) : undefined), [all, isOn]);
}

/** What works on the page that is shown. */
export const useActiveShortcuts = (): readonly ShortcutName[] =>
  useSyncExternalStore(onShortcuts, activeShortcuts, activeShortcuts);
