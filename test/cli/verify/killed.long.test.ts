import { describe, expect, it } from "vitest";
import { instant } from "../../../lambda/base/time.ts";
import type { KubeObject } from "../../../sandbox/kubernetes/kube-object.ts";
import type { Site } from "../connect/a-site.ts";
import {
  aGroup,
  aSpotGroup,
  assertNothingLeft,
  idsOf,
  namespace,
  spot,
  tracesIn,
  verify,
} from "./a-group.ts";

const writes =
  /^(?:autoscaling:(?:CreateOrUpdate|Delete|Update|Terminate)|fis:(?:Create|Delete|Start))/;
const made = ["namespaces", "poddisruptionbudgets", "services", "deployments"];

/**
 * Kills the command with one of its writes, before AWS has done it or after the cluster has: from then on nothing that it asks
 * is done, also what it would do to end in good order. Returns the writes that were asked for.
 */
function killWith({ aws, cluster, key }: Site, count: number): readonly string[] {
  const asked: string[] = [];
  const isLast = (write: string) => {
    asked.push(write);
    if (asked.length === count) aws.keys.add({ ...key, expires: instant(0) });
    return asked.length === count;
  };
  aws.authorize = ({ action, principal }) =>
    principal === key.principal.arn && writes.test(action) && isLast(action) ? "denied" : "allowed";
  const endOf = (one: KubeObject | undefined) => one?.metadata.deletionTimestamp;
  cluster.store.subscribe(({ resource: { plural }, before, after }) => {
    const { name, namespace: its = name } = after?.metadata ?? {};
    if (its !== namespace || !made.includes(plural)) return;
    if (before === undefined) isLast(`create ${plural}`);
    else if (endOf(before) !== endOf(after)) isLast(`delete ${plural}`);
  });
  return asked;
}

/** Runs a trial that is killed with a write, and then only removes what is left. */
async function killed(site: Site, count: number, ...args: readonly string[]) {
  const before = tracesIn(site);
  const own = idsOf(site);
  const asked = killWith(site, count);
  const trial = verify("--yes", ...args);
  expect(await trial.code).not.toBe(0);
  expect(asked.length).toBeGreaterThanOrEqual(count);
  const write = asked[count - 1];
  site.aws.authorize = () => "allowed";
  site.aws.keys.add(site.key);
  const again = verify("--clean-up", ...args.slice(0, 1));
  const code = await again.code;
  return { before, own, write, trial, again, code };
}

describe("verify, killed with any of its writes, is undone by --clean-up:", () => {
  it.each([
    [1, /^autoscaling:CreateOrUpdateTags$/],
    [2, /^autoscaling:UpdateAutoScalingGroup$/],
    [3, /^autoscaling:CreateOrUpdateTags$/],
    [4, /^create namespaces$/],
    [5, /^create poddisruptionbudgets$/],
    [6, /^create services$/],
    [7, /^create deployments$/],
    [8, /^autoscaling:TerminateInstanceInAutoScalingGroup$/],
    [9, /^autoscaling:CreateOrUpdateTags$/],
    // It removes everything side by side.
    [10, /^(?:autoscaling:DeleteTags|delete namespaces)$/],
  ])("%i, %s", async (count, name) => {
    const site = await aGroup();

    const { before, own, write, trial, again, code } = await killed(site, count);

    expect(write).toMatch(name);
    // Between the launch and its note nobody can know which instance it was, once that is in service.
    if (count === 3 && code === 3) expect(again.io.err()).toContain("one instance too many");
    else {
      expect(code, again.io.err()).toBe(0);
      assertNothingLeft(site, before, own);
    }
    if (count > 1) expect(trial.io.err() + trial.io.out()).toContain("left: ");
  });
});

describe("verify --spot, killed with any of the writes that an interruption adds, is undone by --clean-up --spot:", () => {
  it.each([
    [8, /^fis:CreateExperimentTemplate$/],
    [9, /^fis:StartExperiment$/],
    [10, /^fis:DeleteExperimentTemplate$/],
    // The trial notes a replacement, and then removes everything side by side.
    [11, /^autoscaling:CreateOrUpdateTags$/],
    [12, /^(?:autoscaling:|delete namespaces$)/],
    [13, /^(?:autoscaling:|delete namespaces$)/],
  ])("%i, %s", async (count, name) => {
    const site = await aSpotGroup();

    const { before, own, write, again, code } = await killed(
      site,
      count,
      ...spot,
      "--patience",
      "60s",
    );

    expect(write).toMatch(name);
    // Between a replacement and its note nobody can know which instance it was, once that is in service.
    if (count === 11 && code === 3) {
      expect(again.io.err()).toContain("one instance too many");
      return;
    }
    expect(code, again.io.err()).toBe(0);
    // An interruption that is under way goes on; the group makes good for it in its own time.
    await expect.poll(() => tracesIn(site).members).toBe(before.members);
    expect(site.aws.fis.templates()).toEqual([]);
    const { tags, sizes, namespace: isThere } = tracesIn(site);
    expect({ tags, sizes, isThere }).toEqual({ tags: [], sizes: before.sizes, isThere: false });
    expect(idsOf(site)).toEqual(expect.arrayContaining([...own]));
  });
});
