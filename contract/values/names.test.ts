import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { former, renamer, withCanonicalNames } from "./names.ts";

const none = Type.Object({});
const of = (id: string, method: "GET" | "POST" | "PATCH" = "POST", response = none) => ({ id, method, response });

test("a field is taken by its other names, and unknown ones stay as they are", () => {
  const renamed = renamer(of("createCampaign"), Type.Object({ campaign_name: Type.String(), contacts: Type.Any() }));
  assert.deepEqual(renamed({ name: "Spring", clients: [1], color: "red" }), {
    value: { campaign_name: "Spring", contacts: [1], color: "red" },
    problems: [],
    used: [
      ["campaign_name", "name"],
      ["contacts", "clients"],
    ],
  });
  assert.deepEqual(renamed("text"), { value: "text", problems: [], used: [] });
  assert.deepEqual(renamed(undefined), { value: undefined, problems: [], used: [] });
});

test("two names with one value are one field, with two values a problem that names both", () => {
  const renamed = renamer(of("createCampaign"), Type.Object({ campaign_name: Type.String() }));
  assert.deepEqual(renamed({ campaign_name: "a", name: "a" }), {
    value: { campaign_name: "a" },
    problems: [],
    used: [],
  });
  assert.deepEqual(renamed({ campaign_name: "a", name: "b" }).problems, [
    { field: "name", message: "is another name of campaign_name, and the two have different values" },
  ]);
});

test("a name that the operation has itself is no alias", () => {
  const renamed = renamer(of("setUp"), Type.Object({ list_name: Type.String(), name: Type.String() }));
  assert.deepEqual(renamed({ name: "Ann" }).value, { name: "Ann" });
});

test("what was read may be sent back with both names, changed under one of them", () => {
  const answer = Type.Object({ campaign: Type.Object({ name: Type.String(), campaign_name: Type.String() }) });
  const renamed = renamer(of("updateVoiceCampaign", "PATCH", answer), Type.Object({ campaign_name: Type.String() }));
  assert.deepEqual(renamed({ name: "a", campaign_name: "b" }), {
    value: { name: "a", campaign_name: "b" },
    problems: [],
    used: [],
  });
});

test("fields of objects have other names too, and camel case is taken in ours", () => {
  const schema = Type.Object({
    brandId: Type.String(),
    from_campaign: Type.Object({ campaign_id: Type.String(), status: Type.String() }),
  });
  const renamed = renamer(of("createCampaign"), schema);
  assert.deepEqual(renamed({ brand_id: "b", from_campaign: { campaign_id: "c", state: "failed" } }).value, {
    brandId: "b",
    from_campaign: { campaign_id: "c", status: "failed" },
  });
  assert.deepEqual(renamed({ from_campaign: { status: "sent", state: "failed" } }).problems, [
    {
      field: "from_campaign.state",
      message: "is another name of from_campaign.status, and the two have different values",
    },
  ]);
});

test("an answer has the canonical name beside the former one, at any depth, and its source is not changed", () => {
  const Message = Type.Object({ status: Type.String(), state: former("status", Type.String()) });
  const schema = Type.Object({
    count: Type.Integer(),
    last: Type.Union([Message, Type.Null()]),
    messages: Type.Array(Message),
  });
  const source = { count: 1, last: null, messages: [{ state: "sent", at: new Date(0) }] };
  const both = withCanonicalNames(schema);
  assert.deepEqual(both(source), {
    count: 1,
    last: null,
    messages: [{ state: "sent", status: "sent", at: new Date(0) }],
  });
  assert.deepEqual(Object.keys(source.messages[0]!), ["state", "at"]);
  const bytes = Buffer.from("{}");
  assert.equal(both(bytes), bytes);
});
