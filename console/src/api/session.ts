import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { roleMay } from "#contract/accounts/roles.ts";
import type { Session } from "#contract/accounts/session.ts";
import type { Scope } from "#contract/values/operation.ts";
import { call, setCsrfToken } from "./client.ts";
import { ApiError } from "./error.ts";

export type { Session };

/** Below this the service answers with the console; it is Vite's `base`. */
export const BASENAME = "/console";

const SESSION_KEY = ["GET /v1/session"] as const;
const ORGANIZATION_ITEM = "parley-organization";
/** Which session this browser has, for its other tabs. */
const SESSION_ITEM = "parley-session";

/** Who is signed in; undefined when nobody is. Asked once, and known to the cache from then on. */
export async function loadSession(client: QueryClient): Promise<Session | undefined> {
  const known = client.getQueryData<Session>(SESSION_KEY);
  if (known !== undefined) return known;
  try {
    const { session } = await call("GET /v1/session");
    keepSession(client, session);
    return session;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return undefined;
    throw error;
  }
}

/** Takes what signing in, setting up or changing the session answered with. */
export function keepSession(client: QueryClient, session: Session): void {
  setCsrfToken(session.csrf_token);
  client.setQueryDefaults(SESSION_KEY, { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY });
  client.setQueryData(SESSION_KEY, session);
  localStorage.setItem(SESSION_ITEM, session.session_id);
}

/** The session that is known and has not signed in wholly yet. */
export function pendingSession(client: QueryClient): Session | undefined {
  const known = client.getQueryData<Session>(SESSION_KEY);
  return known?.pending ? known : undefined;
}

/** Asks again: organizations may have come or gone. What was known stays when that fails. */
export async function refreshSession(client: QueryClient): Promise<void> {
  const session = await call("GET /v1/session").catch(() => undefined);
  if (session !== undefined) keepSession(client, session.session);
}

/** Calls when in another tab somebody has signed out, or in anew. Returns what ends that. */
export function onOtherSession(sessionId: string, changed: () => void): () => void {
  const hear = ({ key, newValue }: StorageEvent) => {
    if (key === SESSION_ITEM && newValue !== sessionId) changed();
  };
  addEventListener("storage", hear);
  return () => removeEventListener("storage", hear);
}

/** Announces to the other tabs that the session has ended. */
export const announceSignOut = (): void => localStorage.removeItem(SESSION_ITEM);

/** Forgets everything of who was signed in. */
export function dropSession(client: QueryClient): void {
  setCsrfToken(undefined);
  client.clear();
}

/** Goes to another page as the browser does: what was shown needs a session and would ask for more until it is left, and nothing of it stays here. */
export const leave = (path: string): void => location.assign(BASENAME + path);

/** Turns this session to simulated phones or to real ones: nothing that was shown belongs to the other. */
export async function changeMode(client: QueryClient, mode: Session["mode"]): Promise<void> {
  const { session } = await call("PATCH /v1/session", { body: { mode } });
  keepSession(client, session);
  // Who is live is refused by the simulator.
  const isAsked = (key: unknown) => mode === "test" || !String(key).includes("/v1/simulator/");
  await client.resetQueries({ predicate: ({ queryKey: [key] }) => key !== SESSION_KEY[0] && isAsked(key) });
}

/** The session of the page that is shown: every page but those for signing in has one. */
export function useSession(): Session {
  const client = useQueryClient();
  const session = useSyncExternalStore(
    (changed) => client.getQueryCache().subscribe(changed),
    () => client.getQueryData<Session>(SESSION_KEY),
  );
  if (session === undefined) throw new Error("Nobody is signed in.");
  return session;
}

/**
 * Whether the signed-in user may call an operation of this scope, and of these marks in the contract: what one may not do is not
 * offered.
 */
export function useCan(scope: Scope, marks: { byAgents?: true; tenantWide?: true } = {}): boolean {
  return roleMay(useSession().permission, { scope, ...marks });
}

const listeners = new Set<() => void>();

/** The organization whose campaigns, agents and contacts are shown, chosen at the top of the navigation; the user's own until then. */
export function useOrganization(): { organization_id: string; organization_name: string } {
  const { organizations, user } = useSession();
  const chosen = useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    () => localStorage.getItem(ORGANIZATION_ITEM),
  );
  const find = (id: string | null) => organizations.find(({ unique_id }) => unique_id === id);
  // The newest may be the demo's.
  const organization = find(chosen) ?? find(user.organization_id) ?? organizations[0];
  if (organization === undefined) throw new Error("There is no organization.");
  return { organization_id: organization.unique_id, organization_name: organization.organization_name };
}

/** Remembered in this browser. */
export function chooseOrganization(id: string): void {
  localStorage.setItem(ORGANIZATION_ITEM, id);
  for (const changed of listeners) changed();
}
