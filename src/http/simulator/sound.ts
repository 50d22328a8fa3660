import * as contract from "#contract/simulator/sound.ts";
import { pageLine } from "#http/calls/page-line.ts";
import { places } from "#http/calls/places.ts";
import { type Edge, route } from "#http/server/route.ts";
import { messageOf, type Spoken } from "#http/server/spoken.ts";
import type { Caller } from "#operations/context.ts";
import { takeHandsetCall } from "#operations/simulator/simulate.ts";
import type { SoundLine } from "#ports/sound-bridge.ts";

/** Calls at a time. Each adds to the audio load of its node. */
const AT_ONCE = 6;

/** Calls of simulated phones that are taken by a microphone: their sound is passed on to the node that holds them. */
export function simulatorSoundRoutes(edge: Edge): void {
  const { ctx } = edge;
  const seats = places(AT_ONCE);

  const talk =
    (caller: Caller, wanted: { phone: string; carrierId: string }): Spoken =>
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
        const leave = seats.take(caller.tenantId);
        try {
          call = await takeHandsetCall(ctx, caller, wanted);
        } catch (error) {
          leave();
          throw error;
        }
        call.listen({
          sound: line.say,
          closed() {
            leave();
            line.send({ type: "ended" });
            line.finish();
          },
        });
        if (isGone) return call.close();
        line.send({ type: "started" });
        line.start();
      };
      take().catch(line.fail);
    };

  route(edge, contract.takeHandsetCall, async ({ caller, params }) =>
    talk(caller, { phone: params.phone_number, carrierId: params.call }),
  );
}
