import type { verifyAuthenticationResponse } from "@simplewebauthn/server";
import type { KeptPasskey, Passkeys } from "#ports/sign-in.ts";

/** What a person reads in the browser's own window. */
const SITE_NAME = "Parley";
/** As long as a challenge counts. */
const TIMEOUT_MS = 5 * 60_000;

/** What every authenticator has one of: EdDSA, ES256, RS256, as COSE numbers them. Named, since asking Node for newer ones warns of an experiment. */
const ALGORITHMS = [-8, -7, -257];

/** Three hundred files that no worker or media node needs, nor an api until somebody uses a passkey. */
const library = () => import("@simplewebauthn/server");

type Transports = NonNullable<Parameters<typeof verifyAuthenticationResponse>[0]["credential"]["transports"]>;

const listed = (known: readonly KeptPasskey[]) =>
  known.map(({ credential, transports }) => ({ id: credential, transports: [...transports] }));

/** The library takes text as characters, and a challenge is base64url already. */
const bytesOf = (base64url: string) => new Uint8Array(Buffer.from(base64url, "base64url"));

export const passkeys = (): Passkeys => ({
  async creation({ rpId }, user, challenge, known) {
    return {
      ...(await (
        await library()
      ).generateRegistrationOptions({
        rpName: SITE_NAME,
        rpID: rpId,
        userID: new Uint8Array(user.handle),
        userName: user.name,
        userDisplayName: user.shownName,
        challenge: bytesOf(challenge),
        timeout: TIMEOUT_MS,
        attestationType: "none",
        supportedAlgorithmIDs: ALGORITHMS,
        excludeCredentials: listed(known),
        // Kept in the device where it can be, so that it signs in by itself; a plain security key is a second factor all the same.
        authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
      })),
    };
  },
  async request({ rpId }, challenge, known) {
    return {
      ...(await (
        await library()
      ).generateAuthenticationOptions({
        rpID: rpId,
        challenge: bytesOf(challenge),
        timeout: TIMEOUT_MS,
        allowCredentials: known ? listed(known) : [],
        userVerification: known ? "preferred" : "required",
      })),
    };
  },
  challengeOf(clientData) {
    try {
      const { challenge } = JSON.parse(Buffer.from(clientData, "base64url").toString()) as { challenge?: unknown };
      return typeof challenge === "string" ? challenge : undefined;
    } catch {
      return undefined;
    }
  },
  async made({ rpId, origin }, { id, clientData, attestation, transports }, challenge) {
    try {
      const { verified, registrationInfo } = await (await library()).verifyRegistrationResponse({
        response: {
          id,
          rawId: id,
          type: "public-key",
          clientExtensionResults: {},
          response: {
            clientDataJSON: clientData,
            attestationObject: attestation,
            transports: [...transports] as Transports,
          },
        },
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: rpId,
        requireUserVerification: false,
        supportedAlgorithmIDs: ALGORITHMS,
      });
      if (!verified) return undefined;
      const { credential } = registrationInfo;
      return {
        credential: credential.id,
        publicKey: credential.publicKey,
        signCount: credential.counter,
        transports: transports,
      };
    } catch {
      // The library throws whatever is wrong with an answer, down to the decoders'.
      return undefined;
    }
  },
  async signed({ rpId, origin }, answer, challenge, by, isUnlockNeeded) {
    try {
      const { verified, authenticationInfo } = await (await library()).verifyAuthenticationResponse({
        response: {
          id: answer.id,
          rawId: answer.id,
          type: "public-key",
          clientExtensionResults: {},
          response: {
            clientDataJSON: answer.clientData,
            authenticatorData: answer.authenticatorData,
            signature: answer.signature,
            ...(answer.userHandle === undefined ? {} : { userHandle: answer.userHandle }),
          },
        },
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: rpId,
        requireUserVerification: isUnlockNeeded,
        credential: {
          id: by.credential,
          publicKey: new Uint8Array(by.publicKey),
          counter: by.signCount,
          transports: [...by.transports] as Transports,
        },
      });
      return verified ? authenticationInfo.newCounter : undefined;
    } catch {
      return undefined;
    }
  },
});
