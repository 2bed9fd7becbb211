import { describe, expect, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { statusActions, statusRights } from "../../../cli/status/status-command.ts";
import { capturedIo } from "../../cli/captured-io.ts";
import { hook, id, only, topicArn } from "./broken-links/break.ts";
import { aDoctorSite, type DoctorSite, stackName } from "./doctor-site.ts";

/** What `status` says of the sample, line by line. */
async function told(): Promise<readonly string[]> {
  const io = capturedIo();
  expect(await main(["status", "sample"], io)).toBe(0);
  return io.out().trimEnd().split("\n");
}

const site = () => aDoctorSite({ rights: statusRights });

describe("status says on its first lines what keeps notices from the function", () => {
  it.each<[string, (site: DoctorSite) => unknown, RegExp, RegExp]>([
    [
      "a hook that somebody has deleted",
      ({ aws }) => aws.autoScaling.deleteHook("workers", hook),
      /^broken hooks: group workers has no hook for terminating instances that notifies /,
      /^ {2}remedy: aws autoscaling put-lifecycle-hook --auto-scaling-group-name workers --lifecycle-hook-name Terminate-LC-Hook /,
    ],
    [
      "a subscription that an update has taken away",
      ({ records }) => records.subscriptions.delete(only(records.subscriptions)[0]),
      new RegExp(`^broken subscription: queue .* does not subscribe to ${topicArn}`),
      /^ {2}remedy: aws sns subscribe /,
    ],
    [
      "a mapping that somebody has disabled",
      ({ records, amend }) => amend(records.mappings, id.mapping, { State: "Disabled" }),
      /^broken mapping: event source mapping .* is Disabled, so the function gets no notice/,
      /^ {2}remedy: aws lambda update-event-source-mapping --uuid .* --enabled/,
    ],
    [
      "an update that was rolled back",
      ({ records, amend }) =>
        amend(records.stacks, stackName, { StackStatus: "UPDATE_ROLLBACK_COMPLETE" }),
      /^broken stack: stack .* is UPDATE_ROLLBACK_COMPLETE: its last update failed and was rolled back/,
      /^ {2}remedy: correct what `aws cloudformation describe-stack-events --stack-name EksNodeLifecycle-sample` shows as failed, and deploy again/,
    ],
    [
      "a group that is gone",
      ({ records, amend }) => {
        const { Variables = {} } = records.functions.get(id.function)?.Environment ?? {};
        const managed = { MANAGED_GROUPS: JSON.stringify(["workers", "gone"]) };
        amend(records.functions, id.function, {
          Environment: { Variables: { ...Variables, ...managed } },
        });
      },
      /^broken hooks: group gone of the deployment is not in this account and Region/,
      /^ {2}remedy: take gone out of "groups"/,
    ],
  ])("%s, with the remedy below it", async (_, breaking, found, remedy) => {
    breaking(await site());

    const [head, ...lines] = await told();

    expect(head).toMatch(/^sample: 0 instances held, /);
    const at = lines.findIndex((line) => found.test(line));
    expect([at, lines[at + 1]]).toEqual([0, expect.stringMatching(remedy)]);
  });

  it("and nothing of a deployment that is well", async () => {
    await site();

    expect((await told()).filter((line) => /^broken|^not read/.test(line))).toEqual([]);
  });

  it("by the rights that it says it needs, and no other", async () => {
    const { aws } = await site();
    const asked = new Set<string>();
    const others = aws.authorize;
    aws.authorize = (request) => {
      if (request.principal.includes("/person/")) asked.add(request.action);
      return others(request);
    };

    await told();

    expect([...asked].toSorted()).toEqual(statusActions.toSorted());
  });
});
