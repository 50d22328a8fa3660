import { createBrowserRouter, type LoaderFunctionArgs, redirect } from "react-router";
import { BASENAME, leave, loadSession } from "#api/session.ts";
import { routes as agents } from "#pages/agents/routes.ts";
import { routes as analytics } from "#pages/analytics/routes.ts";
import { routes as calls } from "#pages/calls/routes.ts";
import { routes as carriers } from "#pages/carriers/routes.ts";
import { routes as contacts } from "#pages/contacts/routes.ts";
import { routes as conversations } from "#pages/conversations/routes.ts";
import { routes as developers } from "#pages/developers/routes.ts";
import { routes as doNotCall } from "#pages/do-not-call/routes.ts";
import { routes as extractions } from "#pages/extractions/routes.ts";
import { routes as goingLive } from "#pages/going-live/routes.ts";
import { routes as home } from "#pages/home/routes.ts";
import { routes as lists } from "#pages/lists/routes.ts";
import { routes as numbers } from "#pages/numbers/routes.ts";
import { routes as playground } from "#pages/playground/routes.ts";
import { routes as simulator } from "#pages/simulator/routes.ts";
import { routes as smsCampaigns } from "#pages/sms-campaigns/routes.ts";
import { routes as system } from "#pages/system/routes.ts";
import { routes as voiceCampaigns } from "#pages/voice-campaigns/routes.ts";
import { Crash } from "./crash.tsx";
import { FirstPaint } from "./first-paint.tsx";
import { onSignedOut, queryClient } from "./query-client.ts";

/** Every page but those of accounts/ is for who is signed in. */
async function requireSession({ request }: LoaderFunctionArgs): Promise<null> {
  const session = await loadSession(queryClient);
  // One that lacks a factor opens no page: signing in goes on with its next step.
  if (session !== undefined && session.pending === null) return null;
  const { pathname, search } = new URL(request.url);
  throw redirect(signInPath(pathname.replace(BASENAME, "") + search));
}

const signInPath = (next: string): string =>
  next === "" || next === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(next)}`;

/** A folder of pages/ has the routes below its path in its own `routes.ts`; each page is loaded when it is opened. */
export const router = createBrowserRouter(
  [
    {
      ErrorBoundary: Crash,
      HydrateFallback: FirstPaint,
      children: [
        { path: "sign-in", lazy: () => import("#pages/accounts/sign-in.tsx") },
        { path: "sign-on", lazy: () => import("#pages/accounts/sign-on.tsx") },
        { path: "setup", lazy: () => import("#pages/accounts/setup.tsx") },
        { path: "invitation", lazy: () => import("#pages/accounts/invitation.tsx") },
        {
          loader: requireSession,
          lazy: () => import("./shell.tsx"),
          children: [
            {
              ErrorBoundary: Crash,
              children: [
                ...home,
                { path: "agents", children: agents },
                { path: "playground", children: playground },
                { path: "contacts", children: contacts },
                { path: "lists", children: lists },
                { path: "sms-campaigns", children: smsCampaigns },
                { path: "voice-campaigns", children: voiceCampaigns },
                { path: "conversations", children: conversations },
                { path: "calls", children: calls },
                { path: "extractions", children: extractions },
                { path: "analytics", children: analytics },
                { path: "simulator", children: simulator },
                { path: "numbers", children: numbers },
                { path: "carriers", children: carriers },
                { path: "going-live", children: goingLive },
                { path: "do-not-call", children: doNotCall },
                { path: "developers", children: developers },
                { path: "system", children: system },
                { path: "*", lazy: () => import("#pages/not-found/not-found.tsx") },
              ],
            },
          ],
        },
      ],
    },
  ],
  { basename: BASENAME },
);

onSignedOut(() => {
  const { pathname, search } = router.state.location;
  if (pathname === "/sign-in") return;
  leave(signInPath(pathname + search));
});
