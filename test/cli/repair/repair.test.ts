import { describe, expect, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { conditionsVerdict } from "../../../cli/repair/repairs.ts";
import { repairActions, statusActions, statusRights } from "../../../cli/status/status-command.ts";
import { minutes, timestamp } from "../../../lambda/base/time.ts";
import { illSinceAnnotation } from "../../../lambda/repair/ill-since.ts";
import { rulesWith } from "../../../lambda/repair/repair-policy.ts";
import { nodes } from "../../../sandbox/kubernetes/core-resources.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { demoNode } from "../../../sandbox/scenarios/demo-ng.ts";
import { capturedIo } from "../captured-io.ts";
import { aSite, type Site, type SiteOptions } from "../connect/a-site.ts";
import { askedActions } from "../connect/asked-actions.ts";
import { jsonLines } from "../json-lines-schema.ts";
import { viewerWith } from "../status/viewer-with.ts";
import { tag, underWay } from "../upgrade/a-site-with-upgrades.ts";

const leaving = "ip-192-168-18-230.eu-west-1.compute.internal";
/** A node of the demo that stays, and its instance. */
const [neighbour, instance] = [
  "ip-192-168-43-17.eu-west-1.compute.internal",
  "i-0a4c1f92d6b83e570",
] as const;

/** The demo with a deployment whose stack tells of a repair function; it has the settings of the node function. */
async function aSiteWithRepairs(options: SiteOptions = {}): Promise<Site> {
  const site = await aSite(options);
  const { stacks } = site.aws.records;
  const { Outputs = [], ...stack } = stacks.get(demoNode.names.stack) ?? never();
  const repairs = { OutputKey: "RepairFunctionName", OutputValue: demoNode.names.function };
  stacks.set(demoNode.names.stack, { ...stack, Outputs: [...Outputs, repairs] });
  return site;
}

function never(): never {
  throw new Error("there is no stack");
}

/** Gives a node a condition, as the node monitoring agent does, that is so since then, and that a pass has seen at once. */
function setCondition(
  { cluster }: Site,
  { type, since }: Readonly<Record<"since" | "type", string>>,
): void {
  cluster.store.update({ resource: nodes, name: neighbour }, (node) => {
    const broken = { status: "False", reason: "Broken", message: "" } as const;
    const own = { type, ...broken, lastTransitionTime: since };
    const { conditions = [] } = node.status;
    const others = conditions.filter((one) => one.type !== type);
    const annotations = { [illSinceAnnotation]: `${type} ${broken.reason} ${since}` };
    const metadata = { ...node.metadata, annotations };
    return { ...node, metadata, status: { ...node.status, conditions: [...others, own] } };
  });
}

const { group } = terminateAction;
const now = Math.floor(Date.now() / 1000) * 1000;
const at = (ago: number) => timestamp((now - ago) as never);
const [ten, forty] = [at(minutes(10)), at(minutes(40))];
const inOneLine = (text: string): string => text.replaceAll(/\s+/g, " ");

async function run(...words: readonly string[]) {
  const io = capturedIo();
  return { code: await main(words, io), io };
}

describe("status of a deployment that repairs", () => {
  it("tells what is wrong with an instance, since when, and when it is replaced", async () => {
    const site = await aSiteWithRepairs();
    setCondition(site, { type: "KernelReady", since: ten });

    const { io } = await run("status", "demo");

    const due = at(-minutes(20)).slice(0, 16);
    expect(inOneLine(io.out())).toContain(`${neighbour}: ill since ${ten.slice(0, 16)}`);
    expect(inOneLine(io.out())).toContain(
      `KernelReady (Broken), group ${group} replaced at ${due}`,
    );
  });

  it("tells what holds a repair that is due", async () => {
    const site = await aSiteWithRepairs();
    const { register } = site.aws.autoScaling;
    register.put({ ...register.findGroup(group), suspended: ["Launch"] });
    setCondition(site, { type: "KernelReady", since: forty });

    const { io } = await run("status", "demo", "--json");

    expect(jsonLines(io)).toMatchObject([
      {
        repairs: [
          {
            node: neighbour,
            instance,
            group,
            condition: "KernelReady",
            reason: "Broken",
            verdict: "held",
            brakes: ["suspended"],
            action: "replace",
            words: expect.stringContaining("Launch suspended"),
          },
        ],
        gaps: [],
      },
    ]);
  });

  it("holds back with a zonal shift as the function does", async () => {
    const site = await aSiteWithRepairs();
    site.aws.zonalShifts.start("arn:aws:eks:eu-west-1:123456789012:cluster/demo", "eu-west-1b");
    setCondition(site, { type: "KernelReady", since: forty });

    const { io } = await run("status", "demo", "--json");

    expect(jsonLines(io)).toMatchObject([{ repairs: [{ brakes: ["zone-shifted"] }] }]);
  });

  it("makes every call that it says it needs, and no other", async () => {
    const site = await aSiteWithRepairs({ broken: "budget-blocked" });
    setCondition(site, { type: "KernelReady", since: forty });
    site.cluster.removeNode("ip-192-168-77-142.eu-west-1.compute.internal");
    const { register } = site.aws.autoScaling;
    const warmPool = { kind: "pool", state: "Stopped", onScaleIn: "terminate" } as const;
    for (const group of register.groups()) register.put({ ...group, warmPool });
    const asked = askedActions(site);

    await run("status", "demo");

    expect([...asked].toSorted()).toEqual([...statusActions, ...repairActions].toSorted());
  });

  it("makes do with the rights in the cluster that status lists", async () => {
    const site = await aSiteWithRepairs(viewerWith(...statusRights));
    setCondition(site, { type: "KernelReady", since: forty });
    site.cluster.removeNode("ip-192-168-77-142.eu-west-1.compute.internal");

    const { io } = await run("status", "demo", "--json");

    expect(jsonLines(io)).toMatchObject([
      { gaps: [], repairs: [{ condition: "KernelReady" }, { node: "" }] },
    ]);
  });

  it("names the right that is missing, and tells the rest", async () => {
    const site = await aSiteWithRepairs();
    site.aws.authorize = ({ action }) =>
      action === "arc-zonal-shift:ListZonalShifts" ? "denied" : "allowed";
    setCondition(site, { type: "KernelReady", since: forty });

    const { io } = await run("status", "demo", "--json");

    const remedy = "allow arc-zonal-shift:ListZonalShifts";
    expect(jsonLines(io)).toMatchObject([
      { gaps: [{ source: "repairs", remedy }], repairs: [{ condition: "KernelReady" }] },
    ]);
  });

  it("tells of one node only, and of no work on its group, if it is asked to", async () => {
    const site = await aSiteWithRepairs();
    setCondition(site, { type: "KernelReady", since: forty });
    tag(site, underWay());

    const told = async (node: string) =>
      jsonLines((await run("status", "demo", "--node", node, "--json")).io);

    const repairs = [{ node: neighbour }];
    expect(await told(neighbour)).toMatchObject([{ upgrades: [], repairs }]);
    expect(await told(leaving)).toMatchObject([{ upgrades: [], repairs: [] }]);
  });

  it("tells of no repairs where the deployment has none", async () => {
    const site = await aSite();
    setCondition(site, { type: "KernelReady", since: forty });

    const { io } = await run("status", "demo", "--json");

    expect(jsonLines(io)).toMatchObject([{ repairs: [], gaps: [] }]);
  });
});

describe("plan of a cluster that is repaired", () => {
  it("tells the repairs besides the drains", async () => {
    const site = await aSiteWithRepairs();
    setCondition(site, { type: "KernelReady", since: ten });

    const { io } = await run("plan", "demo");
    const told = await run("plan", "--cluster", "demo", group, "--json");

    expect(inOneLine(io.out())).toContain(`Repairs: ${neighbour}: ill since `);
    expect(jsonLines(told.io).at(-1)).toMatchObject({
      kind: "plan-summary",
      repairs: [{ node: neighbour, verdict: "waits" }],
    });
  });
});

describe("plan of a group that replaces ill instances", () => {
  /** The remarks of the plan of the group at its maximum size, once it is changed so. */
  async function remarks(change: (site: Site) => void, max = 0): Promise<readonly string[]> {
    const site = await aSiteWithRepairs();
    const { register } = site.aws.autoScaling;
    const its = register.findGroup(group);
    register.put({ ...its, max: max === 0 ? its.desired : max });
    change(site);
    const { io } = await run("plan", "--cluster", "demo", group, "--json");
    const { remarks: all } = jsonLines(io).at(-1) as { readonly remarks: readonly string[] };
    return all.filter((one) => /launches before|comes first/.test(one));
  }

  const policy =
    (min: number, most: number) =>
    ({ aws: { autoScaling } }: Site) => {
      const { register } = autoScaling;
      const maintenance = { kind: "bounds", min, max: most } as const;
      register.put({ ...register.findGroup(group), maintenance });
    };
  const setting = ({ aws: { autoScaling } }: Site) => {
    autoScaling.launchBeforeTerminate = "enabled";
  };

  it("tells that it has no room to launch first, by its own policy or by the account's setting", async () => {
    expect(await remarks(policy(100, 110))).toEqual([
      expect.stringMatching(
        new RegExp(
          `^group ${group} launches before it terminates, as its maintenance policy of 100 to 110 % says, and is at its maximum size of \\d+:`,
        ),
      ),
    ]);
    expect(await remarks(setting)).toEqual([
      expect.stringContaining("as the account's setting launchBeforeTerminate says"),
    ]);
  });

  it("is silent where there is room, or nothing is launched first", async () => {
    expect(await remarks(policy(100, 110), 20)).toEqual([]);
    expect(await remarks(policy(90, 100))).toEqual([]);
    const own = (site: Site) => {
      setting(site);
      policy(90, 100)(site);
    };
    expect(await remarks(own)).toEqual([]);
    expect(await remarks(() => undefined)).toEqual([]);
  });

  it("says that it may not read the account's setting, if that decides", async () => {
    const denied = ({ aws }: Site) => {
      aws.authorize = ({ action }) => (action.endsWith("AccountSettings") ? "denied" : "allowed");
    };
    expect(await remarks(denied)).toEqual([
      expect.stringMatching(/^who comes first .* is not known: /),
    ]);
    expect(await remarks(denied, 20)).toEqual([]);
  });
});

it("doctor reads the configuration of each function once", async () => {
  const { aws } = await aSiteWithRepairs();

  await run("doctor", "demo", "--json");

  // Here one function has both names.
  expect(aws.calls.of("GetFunctionConfiguration")).toHaveLength(2);
});

describe("the conditions that repairs heed", () => {
  const node = (...types: readonly string[]) =>
    ({ conditions: types.map((type) => ({ type })) }) as never;
  const agent = ["KernelReady", "NetworkingReady", "StorageReady", "ContainerRuntimeReady"];
  const verdict = (overrides: Parameters<typeof rulesWith>[0], ...types: readonly string[]) =>
    conditionsVerdict(rulesWith(overrides), { nodes: [node("Ready", ...types)] }).problems;

  it("are those of the agent, which has to run somewhere", () => {
    expect(verdict([])).toMatchObject([
      {
        found: expect.stringContaining("ContainerRuntimeReady, KernelReady, NetworkingReady"),
        remedy: expect.stringContaining("install the EKS node monitoring agent add-on"),
      },
    ]);
    expect(verdict([], ...agent)).toEqual([]);
  });

  it("need no agent where nothing is done for them", () => {
    const none = agent.map((condition) => ({
      condition,
      reason: "*",
      minutes: 30,
      action: "none" as const,
    }));

    expect(verdict(none)).toEqual([]);
  });

  it("are also those that the deployment adds", () => {
    const own = { condition: "KernelDeadlock", reason: "*", minutes: 5, action: "reboot" } as const;

    expect(verdict([own], ...agent)).toMatchObject([
      {
        found: expect.stringContaining("KernelDeadlock"),
        remedy: expect.stringContaining("node-problem-detector"),
      },
    ]);
    expect(verdict([own], "KernelDeadlock", ...agent)).toEqual([]);
  });
});
