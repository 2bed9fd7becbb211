import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { buffer } from "node:stream/consumers";
import {
  AutoScalingClient,
  CreateAutoScalingGroupCommand,
  CreateLaunchConfigurationCommand,
  DescribeAutoScalingGroupsCommand,
  PutLifecycleHookCommand,
} from "@aws-sdk/client-auto-scaling";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { main } from "../../../cli/main.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { demoNode } from "../../../sandbox/scenarios/demo-ng.ts";
import { capturedIo } from "../captured-io.ts";
import { aGroup, group, told } from "./a-group.ts";

const { region } = terminateAction.account;
const zone = `${region}a`;

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const port = portOf(server);
  server.close();
  return port;
}

const portOf = (server: Pick<Server, "address">): number => {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
};

/** An instance as moto describes it. */
const member = (id: string) => new RegExp(`<member><InstanceId>${id}<.*?</member>`);

/**
 * What moto lacks, before it: a hook tells whom it tells, and an instance waits at hooks. It has the state that somebody has
 * put; one that the group is told to end is described until that is `gone`.
 */
class WaitStates {
  readonly #states = new Map<string, string>();
  readonly #ended = new Map<string, string>();
  readonly #server: Server;
  readonly #moto: string;
  readonly #topic: string;
  #known: ReadonlySet<string> | "all" = "all";
  #descriptions = 0;

  constructor(moto: string, topic: string) {
    this.#moto = moto;
    this.#topic = topic;
    this.#server = createServer(async (request, response) => {
      const body = (await buffer(request)).toString();
      const answer = await this.#answer(body, request.headers.authorization ?? "");
      response.statusCode = answer.status;
      response.setHeader("content-type", "text/xml");
      response.end(answer.text);
    });
  }

  async start(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${portOf(this.#server)}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Has instances that come wait at their launch hook. */
  holdNew(known: readonly string[]): void {
    this.#known = new Set(known);
  }

  put(id: string, state: string): void {
    this.#states.set(id, state);
    if (state === "gone") this.#ended.delete(id);
  }

  /** Waits until somebody has been told of everything that is so now. */
  async told(): Promise<void> {
    const before = this.#descriptions;
    const isTold = () => expect(this.#descriptions).toBeGreaterThan(before + 1);
    await vi.waitFor(isTold, { timeout: 60_000, interval: 20 });
  }

  isEnding(id: string): boolean {
    return this.#ended.has(id);
  }

  async #answer(body: string, authorization: string) {
    const asked = new URLSearchParams(body);
    const id = asked.get("InstanceId") ?? "";
    if (asked.get("Action") === "TerminateInstanceInAutoScalingGroup") {
      const { text } = await this.#forward(
        "Action=DescribeAutoScalingGroups&Version=2011-01-01",
        authorization,
      );
      const [xml = ""] = member(id).exec(text) ?? [];
      this.#ended.set(id, xml);
      this.#states.set(id, "Terminating:Wait");
    }
    const { status, text } = await this.#forward(body, authorization);
    for (const [, newcomer = ""] of text.matchAll(/<member><InstanceId>(.*?)</g))
      if (this.#known !== "all" && !this.#known.has(newcomer) && !this.#states.has(newcomer))
        this.#states.set(newcomer, "Pending:Wait");
    const stated = [...this.#states].reduce(
      (all, [of, state]) => all.replace(member(of), (xml) => inState(xml, state)),
      text
        .replace("</Instances>", `${[...this.#ended.values()].join("")}</Instances>`)
        .replaceAll(/<NotificationTargetARN>.*?</g, `<NotificationTargetARN>${this.#topic}<`),
    );
    if (asked.get("Action") === "DescribeAutoScalingGroups") this.#descriptions += 1;
    return { status, text: stated };
  }

  async #forward(body: string, authorization: string) {
    const headers = { authorization, "content-type": "application/x-www-form-urlencoded" };
    const answer = await fetch(this.#moto, { method: "POST", headers, body });
    return { status: answer.status, text: await answer.text() };
  }
}

const inState = (xml: string, state: string): string =>
  xml.replace(/<LifecycleState>.*?</, `<LifecycleState>${state}<`);

describe("verify against moto's Auto Scaling", () => {
  let moto: ChildProcess;
  let url = "";
  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    moto = spawn("python3", ["-W", "ignore", "-m", "moto.server", "-p", `${port}`], {
      stdio: "ignore",
    });
    await vi.waitFor(() => fetch(`${url}/moto-api/data.json`), { timeout: 120_000, interval: 250 });
  });
  afterAll(async () => {
    moto.kill();
    await once(moto, "exit");
  });

  const scaling = () =>
    new AutoScalingClient({
      region,
      endpoint: url,
      credentials: { accessKeyId: "any", secretAccessKey: "any" },
    });

  beforeEach(async () => {
    await fetch(`${url}/moto-api/reset`, { method: "POST" });
    const [AutoScalingGroupName, LaunchConfigurationName] = [group, "any"];
    const configuration = { ImageId: "ami-12345678", InstanceType: "t3.micro" };
    const client = scaling();
    await client.send(
      new CreateLaunchConfigurationCommand({ LaunchConfigurationName, ...configuration }),
    );
    await client.send(
      new CreateAutoScalingGroupCommand({
        AutoScalingGroupName,
        LaunchConfigurationName,
        AvailabilityZones: [zone],
        MinSize: 0,
        MaxSize: 2,
        DesiredCapacity: 2,
      }),
    );
  });

  async function ours() {
    const answer = await scaling().send(
      new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [group] }),
    );
    const [found] = answer.AutoScalingGroups ?? [];
    return {
      ids: (found?.Instances ?? []).map(({ InstanceId = "" }) => InstanceId),
      sizes: [found?.MinSize, found?.DesiredCapacity, found?.MaxSize],
      tags: (found?.Tags ?? []).map(({ Key }) => Key),
    };
  }

  /** A cluster whose group is moto's, with a hook that tells the deployment's topic. */
  async function aSiteAtMoto() {
    const site = await aGroup();
    const { arn } = site.deployment.topic(demoNode.names.topic);
    const waits = new WaitStates(url, arn);
    onTestFinished(() => waits.close());
    const client = scaling();
    await client.send(
      new PutLifecycleHookCommand({
        AutoScalingGroupName: group,
        LifecycleHookName: "Terminate-LC-Hook",
        LifecycleTransition: "autoscaling:EC2_INSTANCE_TERMINATING",
        NotificationTargetARN: arn,
      }),
    );
    vi.stubEnv("AWS_ENDPOINT_URL_AUTO_SCALING", await waits.start());
    return { ...site, waits };
  }

  /** The instance that a trial has launched. */
  async function newcomer(before: readonly string[]): Promise<string> {
    return vi.waitFor(
      async () => {
        const found = (await ours()).ids.find((id) => !before.includes(id));
        expect(found).toBeDefined();
        return found ?? "";
      },
      { timeout: 60_000, interval: 50 },
    );
  }

  it("finds that no hook holds an instance there, and takes it back", async () => {
    await aSiteAtMoto();
    const before = await ours();

    const { states } = await told(3);

    expect(states).toMatchObject({ "launch hook": "broken", registration: "broken" });
    expect(states).toMatchObject({ release: "unseen", size: "unseen" });
    const { ids, ...after } = await ours();
    expect({ ids: new Set(ids), ...after }).toEqual({ ...before, ids: new Set(before.ids) });
  });

  it.each([
    { how: "after the drain", release: "kept", code: 0 },
    { how: "before the drain", release: "broken", code: 3 },
  ] as const)("finds the release $release where an instance is let go $how", async (one) => {
    const { waits, cluster } = await aSiteAtMoto();
    const before = await ours();
    waits.holdNew(before.ids);
    const trial = told(one.code);
    const id = await newcomer(before.ids);
    const name = "node-of-moto";
    await waits.told();
    cluster.addNode({ name, providerID: `aws:///${zone}/${id}` });
    await waits.told();
    waits.put(id, "InService");
    await vi.waitFor(() => expect(waits.isEnding(id)).toBe(true), {
      timeout: 60_000,
      interval: 20,
    });
    if (one.how === "before the drain") {
      waits.put(id, "Terminating:Proceed");
      await waits.told();
    }
    const io = capturedIo();
    const words = ["drain", name, "--cluster", demoNode.clusterName, "--no-aws"];
    expect(await main(words, io), io.err()).toBe(0);
    cluster.removeNode(name);
    waits.put(id, "gone");

    const { states, promises } = await trial;

    expect(states, JSON.stringify(promises)).toEqual({
      "launch hook": "kept",
      registration: "kept",
      "mark first": "kept",
      budget: "kept",
      requests: "kept",
      volumes: "left out",
      release: one.release,
      "other nodes": "kept",
      size: "kept",
    });
    const { ids, ...after } = await ours();
    expect({ ids: new Set(ids), ...after }).toEqual({ ...before, ids: new Set(before.ids) });
  });
});
