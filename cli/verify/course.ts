import { type InstanceId, instanceId } from "../../lambda/base/ids.ts";
import {
  type Duration,
  type Instant,
  later,
  milliseconds,
  seconds,
} from "../../lambda/base/time.ts";
import { isActive, isLeaving, type ScalingGroup } from "../../lambda/group/scaling-group.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { CommandFailure, StoppedCommand } from "../command-failure.ts";
import { pause } from "../pause.ts";
import { makeProbe, type ProbeOptions, type Request, replicas, traceTag } from "./probe.ts";
import { isCounted, type Trial } from "./promises.ts";
import { removeTraces, type TraceSite, traceText } from "./traces.ts";
import type { Watcher } from "./watcher.ts";

/** Where a trial takes place, what it creates, and where it reports. */
export interface TrialSite extends TraceSite {
  readonly watcher: Watcher;
  readonly wish: ProbeOptions;
  readonly request: Request;
  readonly before: ReadonlySet<InstanceId>;
  readonly stopped: AbortSignal;
  say(words: string): void;
}

/** The observations of a trial, and its remains. */
export interface TrialResult {
  readonly trial: Trial;
  readonly left: readonly string[];
}

const look = milliseconds(500);
const second = seconds(1);

/** Launches an instance, probes it and ends it, as far as each succeeds, and then removes everything that the trial created. */
export async function runTrial(group: ScalingGroup, site: TrialSite): Promise<TrialResult> {
  const course = new TrialRun(group, site);
  const { trial } = course;
  await course
    .run()
    .catch(async (cause: unknown) => {
      for (const one of await removeTraces(site)) site.say(`left: ${one}`);
      throw cause;
    })
    .finally(() => site.watcher.close());
  const left = await removeTraces(site);
  if (trial.ended !== undefined && left.length === 0) await course.settle();
  return { trial, left };
}

/** True if the number of a group's instances in service is changing. */
export const isMoving = ({ sizes, instances }: ScalingGroup): boolean =>
  instances.some(isLeaving) || inServiceOf(instances) !== sizes.desired;

const inServiceOf = (instances: ScalingGroup["instances"]): number =>
  instances.filter(({ state }) => state === "InService").length;

/** The sizes of a group, and how many instances are in service. */
const measureOf = ({ sizes, instances }: ScalingGroup) => ({
  ...sizes,
  inService: inServiceOf(instances),
});

class TrialRun {
  readonly trial: Trial;
  readonly #site: TrialSite;
  readonly #requests: Trial["requests"][number][] = [];
  readonly #sizes: ScalingGroup["sizes"];
  readonly #begun: Instant;
  /** The additional instance of the group. */
  #extra = "unknown";

  constructor(group: ScalingGroup, site: TrialSite) {
    this.#site = site;
    this.#sizes = group.sizes;
    this.#begun = site.clock.now();
    this.trial = {
      sights: site.watcher.sights,
      requests: this.#requests,
      before: measureOf(group),
      raised: systemClock.now(),
      storageClass: site.wish.storageClass,
    };
  }

  async run(): Promise<void> {
    if ((await this.#launch()) && (await this.#probe())) await this.#end();
  }

  /** Waits until the group is stable, and measures it. */
  async settle(): Promise<void> {
    await this.#until((group) => {
      this.trial.after = measureOf(group);
      return !isMoving(group);
    });
  }

  /** The trace is written first, so that anybody can undo what follows. */
  async #launch(): Promise<boolean> {
    const { groups, group, watcher, say, interruptions } = this.#site;
    const { desired, max } = this.#sizes;
    say(`${group}: one instance more`);
    await this.#trace("unknown");
    const sizes = { desired: desired + 1, ...(desired === max && { max: max + 1 }) };
    await groups.resize(group, sizes);
    if (!(await this.#until((found) => this.#noteNewcomer(found)))) return false;
    const instance = instanceId(this.#extra);
    this.trial.instance = instance;
    watcher.attend(instance);
    if (interruptions !== "none" && (await interruptions.spot([instance])).length === 0)
      throw new CommandFailure(
        `${instance}, which group ${group} has launched, is no Spot Instance, and FIS interrupts no other`,
        "name a group that launches Spot Instances alone, or leave out --spot",
      );
    say(`${instance}: launched, and awaited as a node`);
    await this.#until(() => /^(?:InService|Terminat|gone)/.test(watcher.state));
    const serves = () => watcher.state === "InService";
    const isReady = () => watcher.node()?.readiness === "ready";
    // Where no launch is held, the node joins after that.
    return serves() && (await this.#until(() => isReady() || !serves())) && serves();
  }

  async #probe(): Promise<boolean> {
    const { client, watcher, wish, request, say } = this.#site;
    const node = watcher.node();
    if (node === undefined) return false;
    this.trial.node = node.name;
    say(`${node.name}: Ready, and gets the probe`);
    await makeProbe(client, node, wish);
    const wanted = replicas + (wish.storageClass === "" ? 0 : 1);
    const areReady = () =>
      watcher.pods().length === wanted && watcher.pods().every(({ ready }) => ready);
    if (!(await this.#until(areReady)))
      throw new CommandFailure(
        "the pods of the probe did not become ready in time",
        "see that the nodes can pull its image (--image), that policies let it run, and that the storage class exists",
      );
    if (!watcher.pods().some((pod) => isCounted(pod) && pod.node === node.name))
      throw new CommandFailure(
        `no pod of the probe runs on the new node ${node.name}, so that its end would show nothing`,
        "see what keeps pods off the node: it must run Linux and have room",
      );
    if (!(await this.#until(async () => (await request(client)) === "", second)))
      throw new CommandFailure(
        `the API server does not reach the probe through its Service: ${await request(client)}`,
        "allow the cluster's security group port 8080 of the nodes, and yourself to get services/proxy",
      );
    this.trial.probed = systemClock.now();
    return true;
  }

  async #end(): Promise<void> {
    const { client, request, stopped } = this.#site;
    const ask = async () => {
      const failure = await request(client);
      this.#requests.push({ at: systemClock.now(), failure });
    };
    const asking = setInterval(() => void ask(), second);
    try {
      await pause(seconds(3), stopped);
      this.#assertGoesOn();
      await this.#endInstance();
      await this.#until((group) => this.#isOver(group));
    } finally {
      clearInterval(asking);
    }
  }

  async #endInstance(): Promise<void> {
    const { groups, group, interruptions, say } = this.#site;
    const { instance } = this.trial;
    if (instance === undefined) return;
    this.trial.ended = systemClock.now();
    if (interruptions === "none") {
      say(`${instance}: Auto Scaling ends it, and the size is as before`);
      await groups.terminate(instance, "shrinks");
      return this.#trace("ended");
    }
    say(
      `${instance}: FIS advises to rebalance, warns a minute later, and two more later EC2 ends it`,
    );
    await interruptions.interrupt(instance, group);
  }

  /** True if the instance is gone and its pods run elsewhere. After an interruption, the replacement has to be in service too. */
  async #isOver(group: ScalingGroup): Promise<boolean> {
    const { watcher, interruptions } = this.#site;
    const isServing = ({ id, state }: ScalingGroup["instances"][number]) =>
      id === this.#extra && state === "InService";
    if (interruptions !== "none") {
      await interruptions.assertGoesOn();
      await this.#noteNewcomer(group);
      if (!group.instances.some(isServing)) return false;
    }
    return watcher.state === "gone" && watcher.pods().filter(isCounted).length === replicas;
  }

  /** Notes the additional instance: the one launched for the trial, or the replacement of an interrupted one. */
  async #noteNewcomer({ instances }: ScalingGroup): Promise<boolean> {
    const { before } = this.#site;
    const { instance } = this.trial;
    const newcomers = instances.filter(({ id }) => !before.has(id) && id !== instance);
    const found = newcomers.find(isActive)?.id;
    if (found !== undefined && found !== this.#extra) await this.#trace(found);
    return found !== undefined;
  }

  async #trace(instance: string): Promise<void> {
    const { groups, group } = this.#site;
    this.#extra = instance;
    const trace = { sizes: this.#sizes, instance, begun: this.#begun };
    await groups.tag(group, { [traceTag]: traceText(trace) });
  }

  /** Reads the group repeatedly until a condition is true; also once after the user has stopped the trial. */
  async #until(
    isSo: (group: ScalingGroup) => boolean | Promise<boolean>,
    patience: Duration = this.#site.patience,
  ): Promise<boolean> {
    const { groups, group, watcher, stopped } = this.#site;
    const end = later(systemClock.now(), patience);
    for (;;) {
      const found = await groups.withPool(group);
      if (found === "absent")
        throw new CommandFailure(`group ${group} is gone`, "name another group");
      watcher.see(found, await this.#isDown());
      if (await isSo(found)) return true;
      this.#assertGoesOn();
      if (systemClock.now() >= end) return false;
      await pause(look, stopped);
    }
  }

  /** True if EC2 is ending the interrupted instance. */
  async #isDown(): Promise<boolean> {
    const { interruptions } = this.#site;
    const { instance, ended } = this.trial;
    if (interruptions === "none" || instance === undefined || ended === undefined) return false;
    const [life] = await interruptions.spot([instance]);
    return life !== "up";
  }

  #assertGoesOn(): void {
    if (this.#site.stopped.aborted)
      throw new StoppedCommand(
        "stopped before the trial was over",
        "repeat the command for another trial",
      );
  }
}
