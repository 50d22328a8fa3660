import inspector from "node:inspector";
import type { Worker } from "node:worker_threads";
import { importTask } from "#domain/system/watched-task.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import * as stuckTasks from "#store/system/stuck-tasks.ts";

/** What the thread says when it begins an import, and, with null, when it is at none. */
export type AtImport = { tenantId: Uuid; importId: Uuid } | null;

/** Whoever looks on counts its own turns, not a clock's: a machine that slept has not stood still. */
const TURN_MS = 500;

/** Shared by the thread for imports and who looks on: a count that grows while the thread turns, and the row that it reads. */
export class ImportBeat {
  readonly shared: SharedArrayBuffer;
  private readonly numbers: Int32Array;

  constructor(shared = new SharedArrayBuffer(8)) {
    this.shared = shared;
    this.numbers = new Int32Array(shared);
  }

  beat(): void {
    Atomics.add(this.numbers, 0, 1);
  }

  /** Rows of a piece are read in one turn: each of them is a beat. */
  at(row: number): void {
    Atomics.store(this.numbers, 1, row);
    this.beat();
  }

  read(): { beats: number; row: number } {
    return { beats: Atomics.load(this.numbers, 0), row: Atomics.load(this.numbers, 1) };
  }
}

/**
 * Ends the thread for imports once it has stood still for `standstillMs` (0: never), and keeps which row of which file it was at. While
 * it starts it is not looked at.
 */
export function watchImports(
  ctx: Pick<Context, "db" | "log">,
  thread: Worker,
  beat: ImportBeat,
  standstillMs: number,
): void {
  if (standstillMs === 0) return;
  let at: AtImport = null;
  thread.on("message", (place: AtImport) => {
    at = place;
  });
  let seen = 0;
  let turns = 0;
  const looking = setInterval(() => {
    const { beats, row } = beat.read();
    // A debugger is attached and may hold the process at a breakpoint.
    turns = beats === seen && beats > 0 && inspector.url() === undefined ? turns + 1 : 0;
    seen = beats;
    if (turns * TURN_MS < standstillMs) return;
    clearInterval(looking);
    void end(row);
  }, TURN_MS).unref();
  thread.once("exit", () => clearInterval(looking));

  async function end(row: number): Promise<void> {
    const tasks = at === null ? [] : [importTask(at.tenantId, at.importId, row)];
    ctx.log.error(
      { tasks, standstillMs },
      "the thread for imports has stood still and is ended; what it was at is named",
    );
    await stuckTasks
      .note(ctx.db, tasks, new Date())
      .catch((err: unknown) => ctx.log.error({ err }, "what it was at could not be kept"));
    await thread.terminate();
  }
}
