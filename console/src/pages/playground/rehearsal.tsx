import { Paper, SegmentedControl, Stack } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { callUntil } from "#api/client.ts";
import type { Args, Item } from "#api/operations.ts";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { MADE_UP_CONTACT, ownFields, useTemplateFields } from "#parts/form/template-fields.ts";
import { Call } from "./call.tsx";
import { Chat } from "./chat.tsx";
import { Findings } from "./findings.tsx";
import { Inspector } from "./inspector.tsx";
import classes from "./playground.module.css";
import { EMPTY_SETTING, fieldsOfRows, rowsOf, type Setting, SettingCard } from "./setting.tsx";
import { historyOf, isOver, type Line, sentenceOf, type Turn } from "./turn.ts";

type Body = NonNullable<Args<"POST /v1/playground/turns">["body"]>;

/** One conversation with one agent, from its first word on. */
export function Rehearsal({ agent }: { agent: Item<"GET /v1/agents"> }) {
  const { contacts, isKnown } = useTemplateFields();
  const [given, setSetting] = useState<Setting>();
  // The newest contact, until somebody chooses.
  const setting = given ?? { ...EMPTY_SETTING, rows: rowsOf(contacts[0] ? ownFields(contacts[0]) : MADE_UP_CONTACT) };
  const [isSpoken, setSpoken] = useState(false);
  const [heard, setHeard] = useState<Turn["extraction"]>(null);
  const [lines, setLines] = useState<Line[]>([]);
  const [picked, setPicked] = useState<number>();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const asking = useRef<AbortController>(undefined);

  const start = {
    agent_id: agent.agent_id,
    contact: fieldsOfRows(setting.rows),
    ...(setting.objective.trim() === "" ? {} : { objective: setting.objective }),
  };
  const bodyOf = (text: string | undefined): Body => ({
    ...start,
    can_call: setting.canCall,
    // The first words come before everything.
    history: text === undefined ? [] : historyOf(lines),
    ...(text === undefined ? {} : { text }),
  });

  /** Takes a turn; what the contact said stays to be said again when it could not be answered. */
  const take = async (text: string | undefined): Promise<boolean> => {
    asking.current?.abort();
    const mine = new AbortController();
    asking.current = mine;
    setBusy(true);
    setFailure(undefined);
    const said: Line[] = text === undefined ? [] : [...lines, { role: "contact", text }];
    setLines(said);
    try {
      const { turn } = await callUntil(mine.signal, "POST /v1/playground/turns", { body: bodyOf(text) });
      setLines([...said, { role: "agent", text: turn.reply, turn }]);
      setPicked(undefined);
      return true;
    } catch (error) {
      if (mine.signal.aborted) return true;
      setLines(lines);
      setFailure(sentenceOf(error));
      return false;
    } finally {
      if (asking.current === mine) setBusy(false);
    }
  };

  // The first word is the agent's. It is asked for once the contact is known, and anew when another is chosen before anything was said.
  const isUntouched = !lines.some(({ role }) => role === "contact");
  const contact = JSON.stringify(setting.rows);
  // biome-ignore lint/correctness/useExhaustiveDependencies: nothing but the contact changes the first words.
  useEffect(() => {
    if (isKnown && isUntouched && !isSpoken) void take(undefined);
  }, [isKnown, contact, isSpoken]);
  useEffect(() => () => asking.current?.abort(), []);

  const turns = lines.flatMap(({ turn }, index) => (turn ? [{ turn, index }] : []));
  const shown = turns.find(({ index }) => index === picked) ?? turns.at(-1);
  const extraction = turns.findLast(({ turn }) => turn.extraction !== null)?.turn.extraction ?? null;
  return (
    <div className={classes.page}>
      <Paper component="section" aria-label="Conversation">
        {agent.agent_type === "voice" && (
          <div className={classes.ways}>
            <SegmentedControl
              aria-label="How to talk with the agent"
              w={{ base: "100%", xs: "fit-content" }}
              value={isSpoken ? "voice" : "words"}
              onChange={(way) => setSpoken(way === "voice")}
              data={[
                { value: "words", label: "In words" },
                { value: "voice", label: "By voice" },
              ]}
            />
          </div>
        )}
        {isSpoken ? (
          <Call agent={agent} start={start} onFindings={setHeard} />
        ) : (
          <Chat
            agent={agent}
            lines={lines}
            isBusy={isBusy}
            isOver={isOver(lines)}
            failure={failure}
            picked={shown?.index}
            onPick={setPicked}
            onSay={take}
          />
        )}
      </Paper>
      <Stack gap="lg">
        <SettingCard agent={agent} contacts={contacts} setting={setting} change={setSetting} />
        <Findings agent={agent} extraction={isSpoken ? heard : extraction} />
        {shown && !isSpoken && <Inspector turn={shown.turn} />}
        {!isSpoken && (
          <div>
            <CopyAsCurl operation="POST /v1/playground/turns" args={{ body: bodyOf(isUntouched ? undefined : "…") }} />
          </div>
        )}
      </Stack>
    </div>
  );
}
