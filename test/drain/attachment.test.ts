import { expect, it } from "vitest";
import { nodeName } from "../../lambda/base/ids.ts";
import { type Attachment, holdingAttachments } from "../../lambda/drain/attachment.ts";
import { drained } from "../support/builders.ts";

const attached: Attachment = { name: "csi-1", node: drained, volume: "pv-1", state: "attached" };

it.each<[string, Partial<Attachment>, number]>([
  ["is attached to it", {}, 1],
  ["is attached to another node", { node: nodeName("other") }, 0],
  ["is detached", { state: "detached" }, 0],
  ["is an inline one", { volume: "" }, 0],
  ["is of a pod that stays", { volume: "pv-2" }, 0],
])("the end of a node cuts off a volume that %s: %j counts %i", (_, change, count) => {
  const all = [{ ...attached, ...change }];
  expect(holdingAttachments(all, drained, new Set(["pv-2"]))).toHaveLength(count);
});
