import type { StackStatus } from "@aws-sdk/client-cloudformation";
import { describe, expect, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { capturedIo } from "../../cli/captured-io.ts";
import { jsonLines } from "../../cli/json-lines-schema.ts";
import { aDoctorSite, type DoctorSite, examined, stackName } from "./doctor-site.ts";

/** An event of a stack: of a resource, or of the stack itself. */
type Told = readonly [of: string, status: string, reason?: string];

/** The stack in another state, and its events in the order of time. */
function comesTo({ records }: DoctorSite, status: StackStatus, events: readonly Told[] = []): void {
  const its = records.stacks.get(stackName);
  if (its === undefined) throw new Error("there is no stack");
  const { StackId = "" } = its;
  const isEmpty = /^(CREATE_|ROLLBACK|REVIEW)/.test(status) && status !== "CREATE_COMPLETE";
  records.stacks.set(stackName, {
    ...its,
    StackStatus: status,
    Outputs: isEmpty ? [] : (its.Outputs ?? []),
  });
  const told = events.map(([of, now, why]) => ({
    StackId,
    StackName: stackName,
    EventId: `${of} ${now}`,
    Timestamp: new Date(0),
    LogicalResourceId: of,
    PhysicalResourceId: of === stackName ? StackId : of,
    ResourceStatus: now as "CREATE_FAILED",
    ...(why !== undefined && { ResourceStatusReason: why }),
  }));
  records.stackEvents.set(StackId, told.toReversed());
}

const failedUpdate: readonly Told[] = [
  [stackName, "CREATE_IN_PROGRESS"],
  ["Old", "CREATE_FAILED", "of another time"],
  [stackName, "UPDATE_IN_PROGRESS"],
  ["Function", "UPDATE_FAILED", "the code is not in the bucket"],
  ["Role", "UPDATE_FAILED", "Resource update cancelled"],
  [
    stackName,
    "UPDATE_ROLLBACK_IN_PROGRESS",
    "The following resource(s) failed to update: [Function]",
  ],
  ["Mapping", "UPDATE_FAILED", "the function is gone"],
];

describe("doctor and status of a stack", () => {
  it("that could not be created tell the state, what failed first, and the way out; nothing else is looked for", async () => {
    comesTo(await aDoctorSite(), "ROLLBACK_COMPLETE", [
      [stackName, "CREATE_IN_PROGRESS"],
      ["Rights", "CREATE_FAILED", "the deployer cannot reach the API server"],
      ["Queue", "CREATE_FAILED", "Resource creation cancelled"],
      [stackName, "ROLLBACK_IN_PROGRESS"],
      [stackName, "ROLLBACK_COMPLETE"],
    ]);

    const { code, links, states } = await examined();

    expect(code).toBe(3);
    const found = `stack ${stackName} is ROLLBACK_COMPLETE: its creation failed, and what was made is deleted again (Rights: the deployer cannot reach the API server)`;
    expect(states("broken")).toEqual(["stack"]);
    expect(states("ok")).toEqual([
      "credentials",
      "cluster",
      "API server",
      "clock",
      "node versions",
    ]);
    expect(states("absent")).toHaveLength(22);
    for (const { link, ...one } of links.filter(({ state }) => state !== "ok"))
      expect(one).toMatchObject(
        link === "stack"
          ? { found, remedy: expect.stringContaining(`delete-stack --stack-name ${stackName}`) }
          : { found: "not deployed", remedy: "deploy the stack, as above" },
      );
    const io = capturedIo();
    expect(await main(["status", "sample", "--json"], io)).toBe(1);
    expect(jsonLines(io)).toMatchObject([
      {
        gaps: expect.arrayContaining([
          expect.objectContaining({ source: "the deployment", hides: "deployment", why: found }),
        ]),
      },
    ]);
  });

  it.each<[StackStatus, string]>([
    ["UPDATE_ROLLBACK_COMPLETE", "Function: the code is not in the bucket"],
    ["UPDATE_ROLLBACK_FAILED", "Mapping: the function is gone"],
  ])("whose update was undone name what failed first on that way: %s", async (status, reason) => {
    comesTo(await aDoctorSite(), status, failedUpdate);

    const { code, broken, links } = await examined();

    expect({ code, broken }).toEqual({ code: 3, broken: ["stack"] });
    expect(links.find(({ link }) => link === "stack")?.found).toMatch(`(${reason})`);
  });

  it("whose events may not be read say so, and the rest", async () => {
    const site = await aDoctorSite();
    comesTo(site, "DELETE_FAILED");
    site.aws.authorize = ({ action, principal }) =>
      action === "cloudformation:DescribeStackEvents" && principal.includes("/person/")
        ? "denied"
        : "allowed";

    const { links } = await examined();

    expect(links.find(({ link }) => link === "stack")).toMatchObject({
      found: expect.stringMatching(
        /is DELETE_FAILED: its deletion failed midway.*\(unknown: .*denied/,
      ),
      remedy: expect.stringContaining("--retain-resources"),
    });
  });

  it.each(["CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"] as const)(
    "that is as it was meant find it well: %s",
    async (status) => {
      comesTo(await aDoctorSite(), status, failedUpdate);

      expect(await examined()).toMatchObject({ code: 0, broken: [] });
    },
  );
});
