import { describe, expect, test } from "vitest";
import { never, tryInstantOf } from "../../lambda/base/time.ts";
import { countingOf } from "../../lambda/kubernetes/making-room/counting.ts";

const writer = (manager: string, time: string, of = "f:replicas") => ({
  manager,
  operation: "Update",
  time,
  fieldsV1: { "f:spec": { [of]: {} } },
});
const [early, late] = ["2026-11-20T10:00:00Z", "2026-11-20T10:05:00Z"];

describe("the time at which a count was written last", () => {
  test.each([
    ["nobody", [writer("kubectl", early, "f:template")], never],
    ["others", [writer("a", early), writer("b", late)], tryInstantOf(late)],
    [
      "a drain, though others have written the same count since",
      [writer("eks-node-lifecycle", early), writer("b", late)],
      tryInstantOf(early),
    ],
    ["somebody at no time", [writer("a", "soon")], never],
  ])("is that of %s", (_, managedFields, countedAt) => {
    expect(countingOf("Deployment", { managedFields })).toMatchObject({ countedAt });
  });
});
