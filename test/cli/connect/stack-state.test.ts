import { StackStatus } from "@aws-sdk/client-cloudformation";
import { describe, expect, it } from "vitest";
import { standingOf } from "../../../cli/connect/stack-state.ts";

const stack = "EksNodeLifecycle-demo";
const standing = (status: string, reason = "") => standingOf({ stack, status, reason });

describe("the state of a stack", () => {
  it.each(Object.values(StackStatus))(
    "has words and a next step, unless it is settled: %s",
    (status) => {
      const { kind, found, remedy } = standing(status);
      const isSettled = ["CREATE", "UPDATE", "IMPORT"].some(
        (done) => status === `${done}_COMPLETE`,
      );

      expect(kind === "settled").toBe(
        isSettled || status === "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS",
      );
      expect(found).toContain(`stack ${stack} is ${status}: `);
      if (kind !== "settled") expect(remedy).toMatch(/deploy|wait|delete|destroy/);
      expect(remedy).not.toContain("STACK ");
    },
  );

  it.each(["CREATE_IN_PROGRESS", "CREATE_FAILED", "ROLLBACK_COMPLETE", "REVIEW_IN_PROGRESS"])(
    "is that of a stack without anything that works: %s",
    (status) => expect(standing(status).kind).toBe("absent"),
  );

  it("comes with its reason", () => {
    expect(standing("ROLLBACK_COMPLETE", "Rights: no route to the API server").found).toBe(
      "stack EksNodeLifecycle-demo is ROLLBACK_COMPLETE: its creation failed, and what was made is deleted again (Rights: no route to the API server)",
    );
  });

  it("may be one that CloudFormation knows and this program does not", () => {
    expect(standing("SLEEPING")).toMatchObject({ kind: "unsettled" });
  });
});
