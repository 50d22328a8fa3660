import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { call } from "#api/client.ts";
import { messageOf } from "#api/error.ts";
import { keepSession } from "#api/session.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { EntryCard } from "#parts/page/entry-card.tsx";
import { takeNext } from "./next-page.ts";

/** Where identity providers send a browser back to: it ends the sign-in that the browser began, or says why not. */
export function Component() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const query = useLocation().search.slice(1);
  const [failure, setFailure] = useState<string>();
  // What is in the address counts once, and React may run an effect twice.
  const isSent = useRef(false);

  const complete = useEffectEvent(async () => {
    if (isSent.current) return;
    isSent.current = true;
    const next = takeNext();
    if (query === "") {
      setFailure("This page is where your company's sign-in ends. It begins at the sign-in page.");
      return;
    }
    try {
      const { session } = await call("POST /v1/session/oidc/callback", { body: { query } });
      keepSession(client, session);
      const step = next === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(next)}`;
      await navigate(session.pending === null ? next : step, { replace: true });
    } catch (error) {
      setFailure(messageOf(error));
    }
  });
  useEffect(() => void complete(), []);

  if (failure === undefined) return <EntryCard title="Signing in" about="One moment, please." />;
  return (
    <EntryCard title="Not signed in" about={failure}>
      <LinkButton to="/sign-in">Back to the sign-in page</LinkButton>
    </EntryCard>
  );
}
