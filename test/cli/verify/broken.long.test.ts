import { describe, expect, it } from "vitest";
import type { Site } from "../connect/a-site.ts";
import {
  aGroup,
  atState,
  cordon,
  endingMember,
  foundOf,
  group,
  hook,
  isProbed,
  launchHook,
  nodeOfInstance,
  once,
  probeOf,
  provision,
  tellToEnd,
  told,
  tracesIn,
} from "./a-group.ts";

const isEnding = (site: Site) => () =>
  probeOf(site).some(({ metadata: { deletionTimestamp } }) => deletionTimestamp !== undefined);

const by = (id: string) => ({ kind: "instance", value: id }) as const;

/** For what waits in vain. */
const shortPatience = ["--patience", "20s"];

/** What happens to the world, which promise is broken by it, and in which words. */
const breakages: readonly (readonly [
  what: string,
  promise: string,
  found: RegExp,
  args: readonly string[],
  act: (site: Site) => void,
])[] = [
  [
    "nobody holds the new instance",
    "launch hook",
    /^no hook held the new instance/,
    shortPatience,
    ({ aws }) => aws.autoScaling.deleteHook(group, launchHook),
  ],
  [
    "the instance is let into service before its node is Ready",
    "registration",
    /^the instance was in service before its node was Ready/,
    shortPatience,
    (site) =>
      atState(site, "Pending:Wait", (id) =>
        setImmediate(() =>
          site.aws.autoScaling.complete({ group, hook: launchHook, by: by(id) }, "CONTINUE"),
        ),
      ),
  ],
  [
    "the new instance is refused",
    "registration",
    /^the instance was .* before it was ever in service/,
    shortPatience,
    (site) =>
      atState(site, "Pending:Wait", (id) =>
        setTimeout(
          () => site.aws.autoScaling.complete({ group, hook: launchHook, by: by(id) }, "ABANDON"),
          1500,
        ),
      ),
  ],
  [
    "a pod is told to end before the node is marked",
    "mark first",
    /^a pod began to terminate before the node was marked/,
    [],
    (site) =>
      atState(site, "Terminating:Wait", (id) => {
        const name = nodeOfInstance(site, id)?.metadata.name;
        const [pod] = probeOf(site).filter(({ spec }) => spec.nodeName === name);
        if (pod !== undefined) tellToEnd(site, pod.metadata.name);
      }),
  ],
  [
    "all pods are told to end at once",
    "budget",
    /^0 pods ready, and the budget keeps 1/,
    [],
    (site) =>
      once(isEnding(site), () => {
        for (const { metadata } of probeOf(site)) tellToEnd(site, metadata.name);
      }),
  ],
  [
    "requests are answered with an error",
    "requests",
    /^2 of \d+ requests failed: .*HTTP 502/,
    [],
    (site) =>
      once(isEnding(site), () =>
        site.cluster.failNext(
          { plural: "services", subresource: "proxy" },
          { status: 502 },
          { times: 2 },
        ),
      ),
  ],
  [
    "a volume stays attached",
    "volumes",
    /^still attached when the instance was released: pv-disk/,
    ["--storage-class", "gp3"],
    (site) => provision(site, "sticks"),
  ],
  [
    "the instance is released too early",
    "release",
    /^the instance was released while pods were on its node/,
    [],
    (site) =>
      once(isEnding(site), () => {
        const { id = "" } = endingMember(site) ?? {};
        site.aws.autoScaling.complete({ group, hook, by: by(id) }, "CONTINUE");
      }),
  ],
  [
    "nobody holds the instance at its end",
    "release",
    /^no hook held the instance before it ended/,
    [],
    (site) =>
      once(
        () => isProbed(site),
        () => site.aws.autoScaling.deleteHook(group, hook),
      ),
  ],
  [
    "another node is cordoned",
    "other nodes",
    /^cordoned or marked meanwhile: ip-192-168-18-230/,
    [],
    (site) =>
      once(isEnding(site), () => cordon(site, "ip-192-168-18-230.eu-west-1.compute.internal")),
  ],
  [
    "the size is another one afterwards",
    "size",
    /^the group has sizes 3\/7\/8 .* it had sizes 3\/6\/8/,
    [],
    (site) => once(isEnding(site), () => site.aws.autoScaling.setDesired(group, 7)),
  ],
];

describe("verify finds a promise broken when", () => {
  it.each(breakages)("%s: %s", async (...breakage) => {
    const [, promise, found, args, act] = breakage;
    const site = await aGroup({ DRAIN_VOLUME_TIMEOUT_SECONDS: "2" });
    act(site);

    const { promises, states, line } = await told(3, ...args);

    expect(states[promise], JSON.stringify(promises)).toBe("broken");
    expect(foundOf(promises, promise)).toMatch(found);
    expect(line).toMatchObject({ exitCode: 3, left: [] });
    expect(tracesIn(site)).toMatchObject({ tags: [], namespace: false });
  });
});

describe("verify --storage-class", () => {
  it("finds that the volumes are detached before the instance is released", async () => {
    const site = await aGroup();
    provision(site, "detaches");

    const { states, promises } = await told(0, "--storage-class", "gp3");
    const { volumes } = states;

    expect(volumes, JSON.stringify(promises)).toBe("kept");
  });
});
