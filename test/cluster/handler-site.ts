import { EventsV1Api } from "@kubernetes/client-node";
import { expect, vi } from "vitest";
import { productName } from "../../lambda/contract.ts";
import type { Dated } from "../../lambda/domain/entry.ts";
import type { Subject } from "../../lambda/domain/notice/subject.ts";
import { type Duration, type Instant, instant, minutes } from "../../lambda/domain/time.ts";
import {
  type HandlerPlan,
  type HandlerSite,
  handlerTaint,
  type Look,
  withoutTests,
} from "../termination-handler/handler-site.ts";
import type { ClusterNode } from "./control-plane-options.ts";
import { granted, onlyOn } from "./drain-evidence.ts";
import type { DrainSite } from "./drain-site.ts";
import { deployment } from "./manifests.ts";
import { terminateHook } from "./real-groups.ts";
import { patience } from "./site-pods.ts";

const app = "regular-pod-test";

/** A site on a real control plane. */
export class RealHandlerSite implements HandlerSite {
  readonly instance: string;
  readonly #site: DrainSite;
  #sent = 0;

  private constructor(site: DrainSite) {
    this.instance = site.node.instanceId;
    this.#site = site;
  }

  /** Runs the Deployment, and waits until its pod is ready. */
  static async open(site: DrainSite, { endsIn }: HandlerPlan): Promise<RealHandlerSite> {
    const annotations = { "hollow/term-seconds": String(endsIn) };
    const spec = { ...onlyOn(site.name), terminationGracePeriodSeconds: endsIn + 15 };
    await site.apply(
      deployment({ name: app, namespace: site.name, replicas: 1, annotations, spec }),
    );
    await site.settled(app, 1);
    return new RealHandlerSite(site);
  }

  now(): Instant {
    return instant(Date.now());
  }

  launch(): void {
    const { aws, topicArn } = this.#site.world;
    const { name: group, node } = this.#site;
    const role = aws.iam.createRole({ name: group, path: "/" });
    const { arn: profileArn } = aws.iam.createInstanceProfile({ name: group, path: "/" }, [role]);
    aws.autoScaling.putHook(group, {
      name: "Launch-LC-Hook",
      transition: "autoscaling:EC2_INSTANCE_LAUNCHING",
      heartbeat: minutes(30),
      defaultResult: "ABANDON",
      targetArn: topicArn,
    });
    const { name: privateDnsName, instanceId: id } = this.#launched;
    const { zone } = node;
    aws.ec2.run({ id, zone, privateIp: "10.0.0.2", privateDnsName, profileArn });
    aws.autoScaling.launch({ id, zone, group }, "launch");
    this.#sent += 1;
  }

  join(): Promise<void> {
    return this.#site.world.controlPlane.nodeUp(this.#launched);
  }

  get #launched(): ClusterNode {
    const { name, node } = this.#site;
    return { ...node, name: `${name}-new`, instanceId: node.instanceId.replace("i-0", "i-a") };
  }

  terminate(): void {
    this.#site.world.terminate(this.instance);
    this.#sent += 1;
  }

  deliver(event: object): void {
    const { aws, topicArn } = this.#site.world;
    aws.sns.publish(topicArn, { subject: "", message: JSON.stringify(event) });
    this.#sent += 1;
  }

  async worked(): Promise<void> {
    await vi.waitFor(() => expect(this.told("notice-done")).toHaveLength(this.#sent), patience);
  }

  async looks(look: Look): Promise<void> {
    await vi.waitFor(async () => expect(await this.#look()).toEqual(look), patience);
  }

  async #look(): Promise<Look> {
    const { name, core } = this.#site;
    const { spec } = await core.readNode({ name });
    const pods = await this.#site.pods();
    const isThere = pods.some((pod) => pod.spec?.nodeName === name);
    return {
      cordoned: spec?.unschedulable === true,
      tainted: spec?.taints?.some(({ key }) => key === handlerTaint.key) ?? false,
      pod: isThere ? "runs" : "waits",
    };
  }

  hurryHook(heartbeat: Duration): void {
    this.#site.world.aws.autoScaling.putHook(this.#site.name, { name: terminateHook, heartbeat });
  }

  async loseNode(): Promise<void> {
    await this.#site.core.deleteNode({ name: this.#site.name });
  }

  endings(): readonly string[] {
    return this.#site.world.aws.autoScaling
      .actions()
      .filter(({ group }) => group === this.#site.name)
      .map(({ end }) => (end.kind === "open" ? "open" : `${end.result} by ${end.by}`));
  }

  async evictions(): Promise<number> {
    return granted(await this.#site.requests()).length;
  }

  async events(): Promise<readonly string[]> {
    const { world, name } = this.#site;
    const api = world.controlPlane.api(EventsV1Api);
    const { items } = await api.listNamespacedEvent({ namespace: "default" });
    return items
      .filter(({ regarding, reportingController }) => {
        return regarding?.name === name && reportingController === productName;
      })
      .map(({ reason = "" }) => reason)
      .toSorted();
  }

  told<Kind extends Dated["kind"]>(kind: Kind): readonly Extract<Dated, { kind: Kind }>[] {
    // The name of a site may begin with that of another one.
    const own = [this.instance, this.#launched.instanceId];
    return withoutTests(this.#site.told(kind)).filter((entry) => {
      const { instance }: Subject = entry;
      return instance !== undefined && own.includes(instance);
    });
  }
}
