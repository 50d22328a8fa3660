// A process that does nothing but wake up, for standstill.ts, on the processor that it is bound to: when it wakes late, that one stood still.
// On any message it reports when it stood still, from and to, by the system's monotonic clock.

const EVERY_MS = 10;
const LATE_MS = 40;

const now = () => Number(process.hrtime.bigint()) / 1e6;
const standstills: [number, number][] = [];
let last = now();

function wake(): void {
  const at = now();
  if (at - last > EVERY_MS + LATE_MS) standstills.push([last, at]);
  last = at;
}

setInterval(wake, EVERY_MS);
process.on("message", () => {
  wake();
  process.send!(standstills);
});
process.on("disconnect", () => process.exit());
process.send!("awake");
