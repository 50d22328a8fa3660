import { notifications } from "@mantine/notifications";
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { onWarning } from "#api/client.ts";
import { ApiError, messageOf } from "#api/error.ts";

/** What came in within this time is shown again without asking: going back and forth is instant. */
const FRESH_MS = 10_000;

let leave = () => {};

/** Set once by the router: what to do when the session has ended. */
export function onSignedOut(go: () => void): void {
  leave = go;
}

/** What this page has shown since it was loaded. */
const warned = new Set<string>();

// By its words, so that the same one is not shown twice. It stays until somebody has closed it, and a check that is made anew does not repeat it.
onWarning((warning, { isCheck }) => {
  if (isCheck && warned.has(warning)) return;
  warned.add(warning);
  notifications.show({
    id: warning,
    color: "yellow",
    title: "Please check",
    message: warning,
    autoClose: false,
    closeButtonProps: { "aria-label": "Close" },
  });
});

/** A second factor is required by now, and this person has none: loaded anew the page leads to the one thing that is left to do. */
function isBound(error: unknown): boolean {
  if (!(error instanceof ApiError && error.code === "factor_required")) return false;
  if (!location.pathname.endsWith("/sign-in")) location.reload();
  return true;
}

const endedBy = (error: unknown) => error instanceof ApiError && error.status === 401;

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      if (!isBound(error) && endedBy(error)) leave();
    },
  }),
  mutationCache: new MutationCache({
    onError: (error, _args, _context, mutation) => {
      if (isBound(error)) return;
      if (endedBy(error)) leave();
      // A form shows its own errors; a button has no place for one.
      else if (mutation.meta?.isShown !== true) {
        notifications.show({ color: "red", title: "That did not work", message: messageOf(error) });
      }
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      refetchOnWindowFocus: false,
      // What the API has decided does not change by asking again; a lost connection does.
      retry: (failures, error) =>
        failures < 2 && error instanceof ApiError && (error.status === 0 || error.status === 503),
    },
  },
});
