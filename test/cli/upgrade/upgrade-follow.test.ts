import { describe, expect, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { tellPeople } from "../../../cli/upgrade/upgrade-follow.ts";
import type { UpgradeReport } from "../../../cli/upgrade/upgrade-schema.ts";
import { endedTags } from "../../../lambda/upgrade/bookmark-tags.ts";
import { readUpgrade } from "../../../lambda/upgrade/upgrade-message.ts";
import { groupDefaults } from "../../../sandbox/aws/group.ts";
import { demoNode } from "../../../sandbox/scenarios/demo-ng.ts";
import { capturedIo, type Surroundings } from "../captured-io.ts";
import { aSiteWithUpgrades, now, tag } from "./a-site-with-upgrades.ts";

describe("upgrade --all", () => {
  const groups = ["system", "workers", "batch"] as const;

  /** Upgrades three groups; each upgrade has ended so at the first request after its message. */
  async function upgradedAll(outcomeOf: (group: string) => "done" | "failed") {
    const site = await aSiteWithUpgrades({
      settings: { MANAGED_GROUPS: JSON.stringify(groups) },
    });
    const { template } = groupDefaults;
    for (const name of groups)
      site.aws.autoScaling.createGroup({ name, template, zones: ["eu-west-1a"] });
    const io = capturedIo();
    const started = () => site.sent().map((message) => readUpgrade(message, "message"));
    let answered = 0;
    const { authorize } = site.aws;
    site.aws.authorize = (call) => {
      for (const { id, group } of started().slice(answered)) {
        answered += 1;
        tag(site, endedTags({ id, outcome: outcomeOf(group), at: now, issue: "" }, {}), group);
      }
      return authorize(call);
    };
    const code = await main(["upgrade", "--all", ...groups, "--cluster", demoNode.clusterName], io);
    return { code, order: started().map(({ group }) => group), io };
  }

  it("upgrades groups one after the other in the order that is given", async () => {
    const { code, order, io } = await upgradedAll(() => "done");
    expect([code, order]).toEqual([0, groups]);
    const told = io.out().split("\n");
    const at = (text: string) => told.findIndex((line) => line.startsWith(text));
    expect(at("system: upgrade ")).toBeLessThan(at('workers: sent "start"'));
  });

  it("stops at the first that is not done, and says which were not begun", async () => {
    const { code, order, io } = await upgradedAll((group) =>
      group === "workers" ? "failed" : "done",
    );
    expect([code, order]).toEqual([3, ["system", "workers"]]);
    expect(io.err()).toContain("workers was not done, so batch was not begun");
  });
});

describe("upgrade --follow on a terminal", () => {
  const aPod = {
    pod: "shop/web-1",
    uid: "1",
    class: "evictable",
    overdue: false,
    finalizers: [],
    budgets: [],
    reason: "budget shop/web allows none",
    deletedInSeconds: null,
  };
  const node = (name: string, state: UpgradeReport["nodes"][number]["state"]) => ({
    instance: `i-${name}`,
    node: name,
    zone: "eu-west-1a",
    state,
    why: "",
    left: [],
    pods: [],
  });
  const report = (change: Partial<UpgradeReport>): UpgradeReport => ({
    kind: "upgrade",
    cluster: "demo",
    group: "workers",
    at: "2026-11-20T12:00:00Z",
    state: "running",
    id: "0badcafe",
    phase: "upgrade",
    begun: "",
    seen: "",
    opens: "",
    soaksUntil: "",
    keptUntil: "",
    issue: "",
    unanswered: false,
    cordon: "all",
    to: { template: "lt-1", version: 2 },
    sizesBefore: null,
    last: null,
    sizes: { min: 1, max: 3, desired: 3 },
    total: 2,
    replaced: 0,
    secondsLeft: null,
    nodes: [{ ...node("old-1", "draining"), pods: [aPod] }],
    ...change,
  });
  const last = { id: "0badcafe", outcome: "done", at: "2026-11-20T12:10:00Z", issue: "" };
  const ended = report({ state: "none", id: "", last });

  /** What is written while an upgrade looks like this, one after the other. */
  function told(surroundings: Surroundings, ...reports: readonly UpgradeReport[]): string {
    const io = capturedIo({ env: { NO_COLOR: "1" }, ...surroundings });
    const tell = tellPeople("0badcafe", io);
    for (const one of reports) tell(one);
    return io.out();
  }

  const half = report({ replaced: 1, secondsLeft: 60, nodes: [node("old-2", "drained")] });

  it("is drawn anew at each look: the bar, the time left, and the pods that hold it; its end stays", () => {
    const out = told({ isTTY: true, columns: 80 }, report({}), half, ended);
    const drawings = out.split("\r").map((text) => text.split("\u001b[2K").join(""));
    const [first, second, end] = drawings
      .map((text) => text.split("\u001b[1A").join(""))
      .filter((text) => text !== "");
    expect(first).toMatchInlineSnapshot(`
      "workers: upgrade 0badcafe is running, phase upgrade
        [--------------------] 0 of 2 old nodes replaced
        to lt-1 version 2; sizes 1/3/3
        old-1 (eu-west-1a) is drained
          shop/web-1: budget shop/web allows none"
    `);
    expect(second).toMatchInlineSnapshot(`
      "workers: upgrade 0badcafe is running, phase upgrade
        [##########----------] 1 of 2 old nodes replaced, about 1 min left
        to lt-1 version 2; sizes 1/3/3
        old-2 (eu-west-1a) is drained, and about to be terminated"
    `);
    expect(end).toMatchInlineSnapshot(`
      "workers: upgrade 0badcafe was done at 2026-11-20T12:10:00Z
      "
    `);
  });

  it("elsewhere is told once and then where it changes", () => {
    const out = told({}, report({}), report({}), half);
    expect(out.match(/is running, phase upgrade/g)).toHaveLength(1);
    expect(out).toContain("  no longer: [--------------------] 0 of 2 old nodes replaced");
  });
});
