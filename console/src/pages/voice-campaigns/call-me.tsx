import { useSend } from "#api/query.ts";
import { TestPhone } from "#parts/form/test-phone.tsx";
import type { Campaign } from "./draft.ts";

/** Has the campaign's agent call one's own phone, as a single call beside the campaign. */
export function CallMe({ isOpen, close, campaign }: { isOpen: boolean; close: () => void; campaign: Campaign }) {
  const order = useSend("POST /v1/voice/calls", [], { isShown: true });
  return (
    <TestPhone
      isOpen={isOpen}
      close={close}
      title="Call me as a test"
      simulated="a simulated phone of this number rings. Answer it in the phone simulator."
      live="This phone rings, and the agent talks as it does in the campaign."
      verb="Call"
      done={["It is being dialled.", "See the call"]}
      send={async (phone) => {
        const { call } = await order.mutateAsync({
          body: {
            voice_agent_id: campaign.voice_agent_id,
            from_number: campaign.agent_outbound_number,
            to_number: phone,
            organization_id: campaign.organization_id,
            ...(campaign.objective ? { objective: campaign.objective } : {}),
          },
        });
        return `/calls/${encodeURIComponent(call.call_id)}`;
      }}
    />
  );
}
