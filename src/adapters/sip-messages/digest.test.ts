import assert from "node:assert/strict";
import { test } from "node:test";
import { answerChallenge, bestChallenge, givenCredentials, provesPassword } from "./digest.ts";

const CHALLENGE =
  'Digest realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"';
const REQUEST = { method: "GET", uri: "/dir/index.html" };
const MUFASA = { username: "Mufasa", password: "Circle of Life" };
const CNONCE = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ";

for (const { algorithm, response } of [
  { algorithm: "MD5", response: "8ca523f5e9506fed4657c9700eebdbec" },
  { algorithm: "SHA-256", response: "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1" },
]) {
  test(`${algorithm} answers the example of RFC 7616, 3.9.1`, () => {
    const challenge = bestChallenge([`${CHALLENGE}, algorithm=${algorithm}`]);
    const answer = answerChallenge(challenge!, MUFASA, REQUEST, 1, CNONCE);

    assert.match(answer, new RegExp(`response="${response}"`));
    assert.match(answer, /nc=00000001/);
    assert.equal(provesPassword(givenCredentials(answer)!, MUFASA.password, "GET"), true);
    assert.equal(provesPassword(givenCredentials(answer)!, "another", "GET"), false);
    assert.equal(provesPassword(givenCredentials(answer)!, MUFASA.password, "POST"), false);
  });
}

test("of several challenges SHA-256 is met before MD5, and one that is not known is passed over", () => {
  const of = (algorithm: string) => `${CHALLENGE}, algorithm=${algorithm}`;

  assert.equal(bestChallenge([of("MD5"), of("SHA-256")])?.algorithm, "SHA-256");
  assert.equal(bestChallenge([of("SHA-512-256"), of("md5")])?.algorithm, "md5");
  assert.equal(bestChallenge([of("SHA-512-256")]), undefined);
  assert.equal(bestChallenge(["Basic realm=x"]), undefined);
  assert.equal(bestChallenge([`${CHALLENGE}, stale=TRUE`])?.isStale, true);
});
