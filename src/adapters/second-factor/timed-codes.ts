import { Secret, TOTP } from "otpauth";
import { renderSVG } from "uqr";
import type { TimedCodes } from "#ports/sign-in.ts";

/** What every app takes: some ignore any other digits, period or hash that the address names. */
const PERIOD_SECONDS = 30;
const FORM = { algorithm: "SHA1", digits: 6, period: PERIOD_SECONDS } as const;
/** RFC 4226, 4: 160 bits. */
const SECRET_BYTES = 20;
/** RFC 6238, 5.2: one step for the clock of the phone and the time that typing takes. */
const WINDOW = 1;

export const timedCodes = (): TimedCodes => ({
  newSecret: () => new Secret({ size: SECRET_BYTES }).base32,
  enrolment(secret, { issuer, account }) {
    const uri = new TOTP({ ...FORM, issuer, label: account, secret: Secret.fromBase32(secret) }).toString();
    return { uri, qrSvg: renderSVG(uri, { ecc: "M", border: 2 }) };
  },
  stepOf(secret, code, at) {
    const totp = new TOTP({ ...FORM, secret: Secret.fromBase32(secret) });
    const delta = totp.validate({ token: code, timestamp: at.getTime(), window: WINDOW });
    return delta === null ? undefined : totp.counter({ timestamp: at.getTime() }) + delta;
  },
});
