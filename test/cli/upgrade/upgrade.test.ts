import { describe, expect, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { followUpgrade } from "../../../cli/upgrade/upgrade-follow.ts";
import type { UpgradeReport } from "../../../cli/upgrade/upgrade-schema.ts";
import { hours, later, milliseconds, timestamp } from "../../../lambda/base/time.ts";
import {
  endedTags,
  failingTags,
  readBookmark,
  waitingTags,
} from "../../../lambda/upgrade/bookmark-tags.ts";
import { usualOptions } from "../../../lambda/upgrade/options.ts";
import { takeUp } from "../../../lambda/upgrade/take-up.ts";
import { readUpgrade } from "../../../lambda/upgrade/upgrade-message.ts";
import { nodes } from "../../../sandbox/kubernetes/core-resources.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { demoNode } from "../../../sandbox/scenarios/demo-ng.ts";
import { untilCalled } from "../../support/aws-account.ts";
import { capturedIo } from "../captured-io.ts";
import { aSite, type Site } from "../connect/a-site.ts";
import { jsonLines } from "../json-lines-schema.ts";
import { aSiteWithUpgrades, now, tag, underWay, upgradeLog } from "./a-site-with-upgrades.ts";

const { group } = terminateAction;
const neighbour = "ip-192-168-43-17.eu-west-1.compute.internal";
const farther = "ip-192-168-77-142.eu-west-1.compute.internal";
const refusalOf = async () => [];
const since = later(now, milliseconds(-hours(2)));
const fault = "aws.denied: resizing workers: HTTP 403";

/** Runs `upgrade` for the demo. */
async function run(...words: readonly string[]) {
  const io = capturedIo();
  const code = await main(["upgrade", ...words, "--cluster", demoNode.clusterName], io);
  return { code, io, out: io.out(), err: io.err() };
}

/** A window that opens in three days. */
const aClosedWindow = () => ({ days: [(new Date(now).getUTCDay() + 3) % 7], from: 0, to: 60 });

/** Cordons a node as an upgrade does. */
const closeFor = (id: string, name: string, { cluster }: Site) =>
  cluster.store.update({ resource: nodes, name }, ({ metadata, spec, ...node }) => ({
    ...node,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, "eks-node-lifecycle/upgrade-cordoned": `${id} true` },
    },
    spec: { ...spec, unschedulable: true },
  }));

/** Runs a Deployment of one pod on a node, for which its node selector asks. */
function runOn(
  { cluster }: Pick<Site, "cluster">,
  node: string,
  {
    name,
    nodeSelector,
  }: { readonly name: string; readonly nodeSelector: Readonly<Record<string, string>> },
): void {
  const pods = [{ name: `${name}-1`, node }];
  cluster.addDeployment({ name, namespace: "demo", spec: { nodeSelector }, replicas: 1, pods });
}

describe("upgrade", () => {
  it("sends what is wanted to the queue of upgrades, in the form that the function reads", async () => {
    const { sent } = await aSiteWithUpgrades();

    const { code, out } = await run(
      group,
      "--launch-template-version",
      "2",
      "--max-unavailable",
      "33%",
      "--canary",
      "--window",
      "Sat-Sun 22:00-06:00",
      "--force",
      "--drain-timeout",
      "30m",
    );

    expect(code).toBe(0);
    const [message] = sent();
    const command = readUpgrade(message, "message");
    expect(command).toMatchObject({
      kind: "start",
      group,
      to: { kind: "version", version: 2 },
      options: {
        maxUnavailable: { kind: "percentage", value: 33 },
        canary: "first",
        ifBlocked: "force",
        window: { days: [0, 6], from: 1320, to: 360 },
      },
    });
    expect(out).toBe(`${group}: sent "start" for upgrade ${command.id}\n`);
  });

  it("names the value, the place and the way out of what it does not take", async () => {
    const bad = async (...words: readonly string[]) => {
      const { code, err } = await run(group, ...words);
      expect(code).toBe(2);
      return err.split("\n")[0];
    };
    expect(await bad("--max-unavailable", "101")).toContain(
      "'--max-unavailable <count>' argument '101' is invalid. Expected a number from 1 to 100, or a percentage such as 33%.",
    );
    expect(await bad("--window", "Someday 1:00")).toContain("argument 'Someday 1:00' is invalid");
    expect(await bad("--ami", "latest")).toContain("Expected the id of an image");
    expect(await bad("--surge", "2", "--strategy", "MINIMAL")).toContain(
      "--surge 2 does not go with the rest: expected no surge with the strategy MINIMAL",
    );
    expect(await bad("another")).toContain("2 groups are named; --all upgrades them in turn");
    expect(await bad("pause")).toContain('did you mean "upgrade pause GROUP"?');
    expect(await bad("--dry-run", "--follow")).toContain("cannot be used with option '--follow'");
    expect(await bad("--ami", "ami-0123456789abcdef0", "--ssm", "/x")).toContain("cannot be used");
    expect(await bad(group, "--all")).toContain(`group ${group} is named twice; name it once`);
  });

  it.each<[string, (site: Site) => void, readonly string[], string]>([
    [
      "while another upgrade of the group is under way",
      (site) => tag(site, underWay()),
      [group],
      `an upgrade of group ${group} is under way`,
    ],
    [
      "of a group whose launches are suspended",
      ({ aws: { autoScaling } }) => {
        const its = autoScaling.register.findGroup(group);
        autoScaling.register.put({ ...its, suspended: ["Launch"] });
      },
      [group],
      "AutoScalingGroupInvalidConfiguration: somebody has suspended Launch",
    ],
    [
      "to a version that is not there",
      () => undefined,
      [group, "--launch-template-version", "9"],
      "Ec2LaunchTemplateVersionMismatch",
    ],
    ["of no group", () => undefined, ["nobody"], "Auto Scaling has no group nobody"],
    [
      "of several groups of which a later one is none",
      () => undefined,
      [group, "nobody", "--all", "--launch-template-version", "2"],
      "Auto Scaling has no group nobody",
    ],
  ])("sends nothing for an upgrade %s", async (_, change, ...[words, why]) => {
    const site = await aSiteWithUpgrades();
    change(site);
    const { code, err } = await run(...words);
    expect(code).toBe(1);
    expect(err).toContain(why);
    expect(site.sent()).toEqual([]);
  });

  it("says where upgrades are switched on if the stack has no queue of them", async () => {
    await aSite();
    const { code, err } = await run(group);
    expect(code).toBe(1);
    expect(err).toContain('"upgrades": "on"');
  });

  it.each(["pause", "resume", "abort"])(
    "sends %s for the upgrade that is under way",
    async (verb) => {
      const site = await aSiteWithUpgrades();
      const { err } = await run(verb, group);
      expect(err).toContain(`no upgrade of ${group} is under way`);
      expect(err).toContain(`eks-node-lifecycle upgrade ${group} --cluster demo\` starts one`);
      tag(site, underWay());
      const { io, code } = await run(verb, group, "--json");
      expect(code).toBe(0);
      const [message] = site.sent();
      expect(message).toMatchObject({ upgrade: verb, of: "0badcafe", group });
      const command = readUpgrade(message, "message");
      const reading = readBookmark(underWay(verb === "resume" ? { state: "paused" } : {}));
      expect(takeUp(command, reading, undefined)).toMatchObject({ kind: "write" });
      expect(jsonLines(io)).toMatchObject([{ kind: "upgrade-asked", wanted: verb, group }]);
    },
  );

  it.each([
    [["abort", group, "--dry-run"], "--dry-run goes with the start of an upgrade, not with abort"],
    [["pause", group, "--canary"], "--canary goes with the start of an upgrade, not with pause"],
    [["resume", group, "--id", "0badcafe"], "--id goes with abort, not with resume"],
    [[group, "--id", "0badcafe"], "--id goes with abort, not with start"],
  ])("sends nothing where an option does not go with the command: %j", async (words, message) => {
    const site = await aSiteWithUpgrades();
    tag(site, underWay());

    const { code, err } = await run(...words);

    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(site.sent()).toEqual([]);
  });

  it("calls off an upgrade that was sent and has not begun", async () => {
    const { sent } = await aSiteWithUpgrades();
    expect((await run("abort", group, "--id", "0badcafe")).code).toBe(0);
    expect(sent()).toMatchObject([{ upgrade: "abort", of: "0badcafe", group }]);
    expect((await run("abort", group, "--id", "me")).code).toBe(2);
  });

  it("tells with --dry-run the nodes in their turns and what would block them, and sends nothing", async () => {
    const { sent } = await aSiteWithUpgrades();
    const words = [group, "--launch-template-version", "2", "--max-unavailable", "2", "--dry-run"];

    const { code, io } = await run(...words, "--json");
    const { out } = await run(...words);

    expect(code).toBe(3);
    const [plan] = jsonLines(io);
    expect(plan).toMatchObject({ kind: "upgrade-plan", batch: 2, surge: 6, exitCode: 3 });
    expect(plan).toMatchObject({ turns: [expect.arrayContaining([neighbour])] });
    expect(out).toContain("Deployment demo/nginx-demo-deployment would block it on");
    expect(out).toContain(neighbour);
    expect(sent()).toEqual([]);
  });

  it("tells with --dry-run the node that EC2 names, of two that say they run on one instance", async () => {
    const { cluster } = await aSiteWithUpgrades();
    const { spec } = cluster.store.get({ resource: nodes, name: neighbour });
    cluster.addNode({ name: "the-impostor", ...spec });
    const words = [group, "--launch-template-version", "2", "--max-unavailable", "2", "--dry-run"];

    const { io } = await run(...words, "--json");

    const [plan] = jsonLines(io);
    expect(plan).toMatchObject({ turns: [expect.arrayContaining([neighbour])] });
    expect(plan).not.toMatchObject({ turns: [expect.arrayContaining(["the-impostor"])] });
  });

  it("tells with --dry-run the pods that would find no node, and whether that refuses it", async () => {
    const site = await aSiteWithUpgrades({ broken: "nothing" });
    // The one node of the surge is as the other node of the group.
    site.cluster.store.update({ resource: nodes, name: farther }, ({ metadata, ...node }) => ({
      ...node,
      metadata: { ...metadata, labels: { ...metadata.labels, disk: "fast" } },
    }));
    runOn(site, farther, { name: "picky", nodeSelector: { disk: "fast" } });
    const words = [group, "--launch-template-version", "2", "--dry-run", "--surge", "1"];

    const refused = await run(...words);
    const allowed = await run(...words, "--allow-unschedulable");

    const why = "demo/picky-1: its replacement finds no place: node selector (";
    expect(refused.out).toContain("even a new one, so it is refused without --allow-unschedulable");
    expect(refused.out).toContain(why);
    expect(refused.out).toContain("not looked at: volumes and their zones");
    expect(allowed.out).toContain(why);
    expect([refused.code, allowed.code]).toEqual([3, 0]);
  });

  it("tells with --dry-run the pods that name the machine of their node, which refuse nothing", async () => {
    const site = await aSiteWithUpgrades({ broken: "nothing" });
    const nodeSelector = { "kubernetes.io/hostname": neighbour };
    runOn(site, neighbour, { name: "pinned", nodeSelector });

    const { code, out } = await run(group, "--launch-template-version", "2", "--dry-run");

    expect(out).toContain("demo/pinned-1: its node selector or affinity names the machine of its");
    expect(out).toContain("every pod would find a node, an old one that stays or a new one");
    expect(code).toBe(0);
  });

  it("tells with --dry-run which nodes wait for the end of a zonal shift, and that it may not ask", async () => {
    const { aws, cluster } = await aSiteWithUpgrades({ broken: "nothing" });
    const { labels = {} } = cluster.store.get({ resource: nodes, name: neighbour }).metadata;
    const zone = labels["topology.kubernetes.io/zone"] ?? "";
    aws.zonalShifts.start("arn:aws:eks:eu-west-1:123456789012:cluster/demo", zone);
    const words = [group, "--launch-template-version", "2", "--dry-run"];

    const [plan] = jsonLines((await run(...words, "--json")).io);
    const { out } = await run(...words);
    const ignored = await run(...words, "--ignore-zonal-shift");
    aws.authorize = ({ action }) =>
      action === "arc-zonal-shift:ListZonalShifts" ? "denied" : "allowed";
    const denied = await run(...words);

    expect(plan).toMatchObject({ shifted: [{ zone, nodes: [neighbour] }] });
    expect(plan).not.toMatchObject({ turns: expect.arrayContaining([[neighbour]]) });
    expect(out).toContain(`traffic is shifted away from ${zone}, where 1 old node would wait`);
    expect(ignored.out).not.toContain("shifted away");
    expect(ignored.out).toContain(neighbour);
    expect(denied.out).toMatch(/not looked at: .*zonal shifts \(/s);
    expect(denied.code).toBe(0);
  });

  it("tells with --dry-run that nothing is old", async () => {
    await aSiteWithUpgrades();
    const { code, out } = await run(group, "--dry-run");
    expect(code).toBe(0);
    expect(out).toBe(`${group}: no node is old, so nothing would happen\n`);
  });
});

describe("upgrade status", () => {
  it("tells the phase, what is done, and the pods that hold a node that is drained", async () => {
    const site = await aSiteWithUpgrades();
    tag(site, underWay());
    const turn = `0badcafe 1 ${new Date(now).toISOString()}`;
    site.cluster.store.update({ resource: nodes, name: neighbour }, ({ metadata, ...node }) => ({
      ...node,
      metadata: {
        ...metadata,
        annotations: { ...metadata.annotations, "eks-node-lifecycle/upgrade-turn": turn },
      },
    }));

    const { out, code } = await run("status", group);

    expect(code).toBe(0);
    expect(out).toContain(`${group}: upgrade 0badcafe is running, phase upgrade`);
    expect(out).toContain("[--------------------] 0 of 3 old nodes replaced");
    expect(out).toContain(`${neighbour} (`);
    expect(out).toMatch(/is drained\n(?: {4}.*\n)*? {4}\S+: \S/);
    const [report] = jsonLines((await run("status", group, "--json")).io);
    expect(report).toMatchObject({ kind: "upgrade", id: "0badcafe", total: 3, unanswered: false });
  });

  it("says that nobody answers an upgrade any more, and how to revive it", async () => {
    const site = await aSiteWithUpgrades();
    tag(site, underWay({ seen: later(now, milliseconds(-hours(2))) }));
    expect((await run("status", group)).out).toContain(
      `\`upgrade resume ${group} --cluster demo\` revives it`,
    );
  });

  it("says the ways out of a pause, since when it stands still, and which nodes it still keeps closed", async () => {
    const site = await aSiteWithUpgrades();
    const seen = later(now, milliseconds(-hours(2)));
    tag(site, underWay({ seen, state: "paused" }));
    closeFor("0badcafe", neighbour, site);
    closeFor("fadedbee", "ip-192-168-18-230.eu-west-1.compute.internal", site);
    const out = capturedIo();
    await main(["status", demoNode.clusterName], out);

    const ways = `  paused, and last looked at ${timestamp(seen).replace(".000", "")}: \`upgrade resume ${group} --cluster demo\` goes on, \`upgrade abort ${group} --cluster demo\` puts its version and sizes back\n`;
    expect(out.out()).toContain(
      `${group}: upgrade 0badcafe is paused, phase upgrade\n  until what was under way has ended, it keeps closed: ${neighbour}\n${ways}`,
    );
    const { out: own } = await run("status", group);
    expect(own).toContain(`\`upgrade resume ${group} --cluster demo\` goes on`);
    expect(own).not.toContain("revives it");
  });

  it("tells when the window opens of one that waits for it, and that nothing is changed yet", async () => {
    const site = await aSiteWithUpgrades();
    tag(site, waitingTags({ id: "0badcafe", until: later(now, hours(5)) }));
    const opens = timestamp(later(now, hours(5)));
    const { code, out } = await run("status", group);
    expect([code, out]).toEqual([
      0,
      `${group}: upgrade 0badcafe has changed nothing yet, and waits for its maintenance window, which opens at ${opens}\n`,
    ]);
    const [report] = jsonLines((await run("status", group, "--json")).io);
    expect(report).toMatchObject({ state: "waiting", id: "0badcafe", opens, unanswered: false });
    const io = capturedIo();
    await main(["status", demoNode.clusterName], io);
    expect(io.out()).toContain(
      `${group}: upgrade 0badcafe is waiting: the maintenance window is closed until ${opens}\n`,
    );

    const { code: refused, err } = await run("pause", group);
    expect([refused, site.sent()]).toEqual([1, []]);
    expect(err).toContain(`upgrade abort ${group} --cluster demo\` calls it off`);
    expect((await run("abort", group)).code).toBe(0);
    expect(site.sent()).toMatchObject([{ upgrade: "abort", of: "0badcafe" }]);

    tag(site, waitingTags({ id: "0badcafe", until: later(now, milliseconds(-hours(2))) }));
    expect((await run("status", group)).out).toContain(
      `\`upgrade abort ${group} --cluster demo\` calls it off`,
    );
  });

  it("tells until when it watches its new nodes", async () => {
    const site = await aSiteWithUpgrades();
    const options = { ...usualOptions, soak: hours(1) };
    tag(site, underWay({ options, soak: now }));
    const until = timestamp(later(now, hours(1)));
    expect((await run("status", group)).out).toContain(
      `watches its new nodes until ${until}, before the next batch`,
    );
    const [report] = jsonLines((await run("status", group, "--json")).io);
    expect(report).toMatchObject({ soaksUntil: until });
  });

  it("tells with which fault its passes fail", async () => {
    const site = await aSiteWithUpgrades();
    const said = "its passes have failed since \\S+Z: aws\\.denied: resizing workers: HTTP 403\n";
    tag(site, { ...underWay(), ...failingTags({ since, fault }) });
    expect((await run("status", group)).out).toMatch(new RegExp(said));
    const io = capturedIo();
    await main(["status", demoNode.clusterName], io);
    expect(io.out()).toMatch(new RegExp(`upgrade 0badcafe is running, phase upgrade: ${said}`));
  });

  it("tells with which fault the passes of one fail that has not begun yet", async () => {
    const site = await aSiteWithUpgrades();
    tag(site, {
      ...waitingTags({ id: "0badcafe", until: since }),
      ...failingTags({ since, fault }),
    });
    const { out } = await run("status", group);
    expect(out).toMatch(/has changed nothing yet, and has not begun since \S+: its passes have/);
    expect(out).not.toContain("calls it off");
  });

  it("tells when the window opens of one that it holds midway", async () => {
    const site = await aSiteWithUpgrades();
    const window = aClosedWindow();
    tag(site, underWay({ options: { ...usualOptions, window } }));
    expect((await run("status", group)).out).toMatch(
      /its maintenance window is closed until \d{4}-\S+T00:00:00\.000Z\n/,
    );
  });

  it("names the process that somebody has suspended meanwhile", async () => {
    const site = await aSiteWithUpgrades();
    tag(site, underWay());
    site.aws.autoScaling.suspend(group, ["Terminate"]);

    expect((await run("status", group)).out).toContain(
      `somebody has suspended Terminate of group ${group}: resume that first\n`,
    );
  });

  it("tells why the tags of an upgrade cannot be read", async () => {
    const site = await aSiteWithUpgrades();
    tag(site, { ...underWay(), "eks-node-lifecycle/upgrade-to": "template=x" });
    expect((await run("status", group)).out).toContain(
      "the tag eks-node-lifecycle/upgrade-to says template=x",
    );
  });

  it("follows an upgrade until it has ended, and says why it failed", async () => {
    const site = await aSiteWithUpgrades();
    tag(site, underWay());
    const following = run("status", group, "--follow");
    await untilCalled(site.aws, "DescribeAutoScalingGroups");
    const { register } = site.aws.autoScaling;
    register.put({ ...register.findGroup(group), tags: [] });
    const issue = "PodEvictionFailure: web";
    tag(site, endedTags({ id: "0badcafe", outcome: "failed", at: now, issue }, {}));

    const { code, out } = await following;

    expect(code).toBe(3);
    expect(out).toMatch(/upgrade 0badcafe failed at \S+: PodEvictionFailure: web\n$/);
  });

  it.each([
    ["done", 0],
    ["aborted", 3],
    ["scaled-elsewhere", 0],
    ["set-aside", 3],
    ["rolled-back", 3],
  ] as const)("ends with its own exit code when an upgrade is %s", async (outcome, code) => {
    const ended = { id: "0badcafe", outcome, at: "2026-11-20T12:00:00Z", issue: "" };
    const look = async () => ({ ...anUpgrade, state: "none" as const, id: "", last: ended });
    const telling = { io: capturedIo(), site: { look, refusalOf }, json: true };
    expect(await followUpgrade(group, "0badcafe", telling)).toBe(code);
    expect(jsonLines(telling.io)).toHaveLength(1);
  });

  it("sends a rollback, which is done when the group has its old nodes again", async () => {
    const site = await aSiteWithUpgrades();
    tag(site, underWay({ options: { ...usualOptions, keepOld: hours(1) }, phase: "keep" }));
    expect((await run("status", group)).out).toContain(
      `until then \`upgrade rollback ${group} --cluster demo\` goes back to them`,
    );
    const following = run("rollback", group, "--follow");
    await expect.poll(site.sent).toHaveLength(1);
    expect(site.sent()).toMatchObject([{ upgrade: "rollback", of: "0badcafe" }]);
    const { register } = site.aws.autoScaling;
    register.put({ ...register.findGroup(group), tags: [] });
    tag(site, endedTags({ id: "0badcafe", outcome: "rolled-back", at: now, issue: "" }, {}));

    const { code, out } = await following;
    expect(code).toBe(0);
    expect(out).toMatch(/upgrade 0badcafe was rolled back to its old nodes at \S+\n$/);
  });

  it.each([
    ["keeps no old nodes (--keep-old)", {}, "upgrade"],
    ["has ended its old nodes", { keepOld: hours(1) }, "scale-down"],
  ] as const)("sends no rollback of an upgrade that %s", async (why, change, phase) => {
    const site = await aSiteWithUpgrades();
    tag(site, underWay({ options: { ...usualOptions, ...change }, phase }));
    const { code, err } = await run("rollback", group);

    expect([code, site.sent()]).toEqual([1, []]);
    expect(err).toContain(why);
  });

  it("tells why the function refuses to begin an upgrade that is followed", async () => {
    const { aws, sent } = await aSiteWithUpgrades();
    const following = run(group, "--ami", "ami-0123456789abcdef0", "--follow");
    await expect.poll(sent).toHaveLength(1);
    const { id: upgrade } = readUpgrade(sent()[0], "message");
    const end = { kind: "refused", reasons: ["AmiIdNotFound: there is no image"] };
    const entry = { kind: "upgrade-answered", upgrade, command: "start", end };
    aws.logs.write(upgradeLog, JSON.stringify({ at: new Date(now).toISOString(), ...entry }));

    const { code, err } = await following;

    expect(code).toBe(1);
    expect(err).toContain("AmiIdNotFound: there is no image; nothing was changed");
  });

  it("tells a refusal from the tags alone, as the status of the cluster does", async () => {
    const site = await aSiteWithUpgrades();
    const issue = "AmiIdNotFound: there is no image";
    tag(site, endedTags({ id: "0badcafe", outcome: "refused", at: now, issue }, {}));
    expect((await run("status", group)).out).toContain(
      `${group}: upgrade 0badcafe was refused, and changed nothing, at `,
    );
    const io = capturedIo();
    await main(["status", demoNode.clusterName], io);
    expect(io.out()).toContain(`${group}: upgrade 0badcafe was refused: ${issue}\n`);
    const last = { id: "0badcafe", outcome: "refused", at: "2026-11-20T12:00:00Z", issue };
    const look = async () => ({ ...anUpgrade, state: "none" as const, id: "", last });
    const telling = { io: capturedIo(), site: { look, refusalOf }, json: true };
    await expect(followUpgrade(group, "0badcafe", telling)).rejects.toThrow(issue);

    tag(
      site,
      endedTags(
        { id: "0badcafe", outcome: "refused", at: later(now, milliseconds(-hours(25))), issue },
        {},
      ),
    );
    const tomorrow = capturedIo();
    await main(["status", demoNode.clusterName], tomorrow);
    expect(tomorrow.out()).not.toContain("was refused");
  });

  it("stops to follow at Ctrl-C, and says that the upgrade goes on", async () => {
    const io = capturedIo();
    const look = async () => {
      io.interrupt();
      return anUpgrade;
    };
    expect(
      await followUpgrade(group, "0badcafe", { io, site: { look, refusalOf }, json: false }),
    ).toBe(3);
    expect(io.out()).toContain("[##########----------] 1 of 2 old nodes replaced, about 1 h left");
    expect(io.err()).toContain("goes on by itself");
  });
});

const anUpgrade: UpgradeReport = {
  kind: "upgrade",
  cluster: "demo",
  group,
  at: "2026-11-20T12:00:00Z",
  state: "running",
  id: "0badcafe",
  phase: "upgrade",
  begun: "",
  seen: "",
  opens: "",
  soaksUntil: "",
  keptUntil: "",
  unanswered: false,
  cordon: "all",
  issue: "",
  to: null,
  sizes: { min: 1, max: 3, desired: 3 },
  sizesBefore: null,
  last: null,
  total: 2,
  replaced: 1,
  secondsLeft: 3600,
  nodes: [],
};
