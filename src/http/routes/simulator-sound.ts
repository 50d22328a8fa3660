import * as contract from "#contract/simulator-sound.ts";
import { takeHandsetCall } from "#operations/simulate.ts";
import type { SoundLine } from "#ports/sound-bridge.ts";
import { pageLine } from "../page-line.ts";
import { type Edge, route } from "../route.ts";
import { messageOf, type Spoken } from "../spoken.ts";

/** Calls of simulated phones that are taken by a microphone: their sound is passed on to the node that holds them. */
export function simulatorSoundRoutes(edge: Edge): void {
  const { ctx } = edge;

  route(
    edge,
    contract.takeHandsetCall,
    async ({ caller, params }): Promise<Spoken> =>
      (socket) => {
        let call: SoundLine | undefined;
        let isGone = false;
        const line = pageLine(socket, ctx.log, {
          word(data) {
            messageOf(contract.SoundWord, data);
            call?.close();
          },
          sound: (frames) => call?.send(frames),
          gone() {
            isGone = true;
            call?.close();
          },
        });
        const take = async () => {
          call = await takeHandsetCall(ctx, caller, { phone: params.phone_number, carrierId: params.call });
          if (isGone) return call.close();
          line.tell({ type: "started" });
          line.start();
          call.listen({
            sound: line.say,
            closed() {
              line.tell({ type: "ended" });
              line.finish();
            },
          });
        };
        take().catch(line.fail);
      },
  );
}
