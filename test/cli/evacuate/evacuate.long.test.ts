import { describe, expect, it } from "vitest";
import { seconds } from "../../../lambda/base/time.ts";
import {
  aZone,
  cordoned,
  evacuate,
  evacuated,
  evacuatedInstances,
  first,
  group,
  second,
  statesIn,
  takeSubnetOut,
  webOn,
} from "./a-zone.ts";

describe("evacuate", () => {
  it("ends no instance and says what to do where a budget allows nothing", async () => {
    const site = await aZone();
    const selector = { matchLabels: { app: "web" } };
    site.cluster.addBudget({ name: "web", maxUnavailable: 0, selector });
    takeSubnetOut(site);

    const { complained } = await evacuated(3, "--deadline", "30s");

    expect(complained).toContain("not all nodes are empty: repeat the command to go on, or ");
    expect(webOn(site, first, second)).toHaveLength(3);
    expect(cordoned(site, first, second)).toEqual([first, second]);
    expect(statesIn(site)).toEqual(["InService", "InService"]);
  });
});

describe("evacuate of instances behind a target group", () => {
  it("ends no instance while the target of a replacement is still initial", async () => {
    const site = await aZone();
    takeSubnetOut(site);
    const { aws, cluster } = site;
    const delay = seconds(1);
    const pool = aws.elb.create({ name: "web", follows: "nobody", delay, interval: seconds(8) });
    const [firstId, secondId] = evacuatedInstances;
    for (const id of [firstId, secondId]) pool.register(id, 30080, "healthy");
    const fresh = "i-0fffffffffffffff3";
    aws.ec2.run({ id: fresh, zone: "eu-west-1c", privateIp: "192.168.99.9" });
    aws.autoScaling.attach({ id: fresh, zone: "eu-west-1c", group });
    pool.register(fresh, 30080);
    cluster.addNode({ name: "fresh", providerID: `aws:///eu-west-1c/${fresh}` });
    const { io, code } = evacuate("--deregister", "never", "--target-timeout", "1s");

    await expect.poll(() => io.out()).toContain("still initial");
    const before = pool.targets().find(({ instance }) => instance === fresh);
    expect([before?.state, ...statesIn(site)]).toEqual(["initial", "InService", "InService"]);
    expect(await code).toBe(0);
    const after = pool.targets().find(({ instance }) => instance === fresh);
    expect([after?.state, ...statesIn(site)]).toEqual([
      "healthy",
      "Terminating:Wait",
      "Terminating:Wait",
    ]);
  });
});
