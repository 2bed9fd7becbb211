import type { Outcome } from "../../journal/outcome.ts";
import { instanceId, nodeName } from "../../lambda/base/ids.ts";

type Samples = { readonly [K in Outcome["kind"]]: Extract<Outcome, { readonly kind: K }> };

/** One outcome of every kind. When there is a new kind, this does not compile until the kind is added here. */
export const sampleOutcomes: Samples = {
  drained: { kind: "drained", attached: ["pv-1"], stuck: [] },
  kept: { kind: "kept", left: [{ about: "demo/web", why: "held for 2 min by budget demo/web" }] },
  forced: { kind: "forced", attached: [], stuck: [], forced: ["demo/web: deleted past budget x"] },
  expired: { kind: "expired", left: [{ about: "demo/web", why: "ending" }] },
  "dry-run": { kind: "dry-run", evicted: ["demo/a"], held: ["demo/web: held"], left: [] },
  "no-node": { kind: "no-node" },
  "instance-ended": { kind: "instance-ended" },
  joined: { kind: "joined", node: nodeName("ip-192-168-18-230.eu-west-1.compute.internal") },
  registered: { kind: "registered", role: "arn:aws:iam::123456789012:role/node" },
  "not-registered": { kind: "not-registered", reason: "aws-auth cannot be read" },
  "not-joined": { kind: "not-joined", reason: "never registered", result: "ABANDON" },
  "node-removed": {
    kind: "node-removed",
    node: nodeName("ip-192-168-18-230.eu-west-1.compute.internal"),
  },
  "put-back": { kind: "put-back" },
  "nothing-left": { kind: "nothing-left" },
  cordoned: { kind: "cordoned", node: nodeName("ip-192-168-18-230.eu-west-1.compute.internal") },
  "released-elsewhere": { kind: "released-elsewhere" },
  tested: { kind: "tested" },
  "passed-on": { kind: "passed-on", instances: [instanceId("i-07e9ea9eb19a67337")] },
  "called-off": {
    kind: "called-off",
    nodes: [nodeName("ip-192-168-18-230.eu-west-1.compute.internal")],
  },
  ignored: { kind: "ignored", why: "not managed", reason: "group x is not managed here" },
};
