import { describe, expect, it } from "vitest";
import { nodeName } from "../../lambda/base/ids.ts";
import { type Attachment, holdingAttachments } from "../../lambda/drain/attachment.ts";
import { anAttachment, drained } from "../builders.ts";

const holding = (change: Partial<Attachment>, staying: readonly string[] = []) =>
  holdingAttachments([anAttachment(change)], drained, new Set(staying));

describe("a drain waits for an attachment", () => {
  it("while the volume of a drained pod is attached", () => {
    expect(holding({})).toEqual([anAttachment()]);
  });

  it("even if the volume of a pod that stays is attached as well", () => {
    const kept = anAttachment({ name: "csi-2", volume: "pv-2" });
    expect(holdingAttachments([kept, anAttachment()], drained, new Set(["pv-2"]))).toEqual([
      anAttachment(),
    ]);
  });
});

describe("a drain does not wait for an attachment", () => {
  it.each<[string, Partial<Attachment>]>([
    ["once it is detached", { state: "detached" }],
    ["if it belongs to another node", { node: nodeName("another") }],
    ["if it names no volume", { volume: "" }],
  ])("%s", (_, change) => {
    expect(holding(change)).toEqual([]);
  });

  it("if its volume belongs to a pod that stays", () => {
    expect(holding({}, ["pv-1"])).toEqual([]);
  });
});
