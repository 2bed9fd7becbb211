import { isDeepStrictEqual } from "node:util";
import type { InstanceId } from "../../lambda/base/ids.ts";
import { type Duration, later, milliseconds, seconds } from "../../lambda/base/time.ts";
import { type Fleet, type FleetInstance, isActive } from "../../lambda/group/fleet.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { CommandFailure, StoppedCommand } from "../command-failure.ts";
import { pause } from "../pause.ts";
import { makeProbe, type ProbeWish, type Request, replicas } from "./probe.ts";
import { isCounted, type Trial } from "./promises.ts";
import { leaveTrace, measureOf, shrink, type Trace, type TraceSite } from "./traces.ts";
import type { Watcher } from "./watcher.ts";

/** Where a trial takes place, with what it is made, and who hears of it. */
export interface TrialSite extends TraceSite {
  readonly watcher: Watcher;
  readonly wish: ProbeWish;
  readonly request: Request;
  readonly before: ReadonlySet<InstanceId>;
  readonly stopped: AbortSignal;
  say(words: string): void;
}

type End = "late" | "reached";

const look = milliseconds(500);
const second = seconds(1);

/** Takes an instance through its life, as far as it comes. */
export async function runTrial(fleet: Fleet, site: TrialSite): Promise<Trial> {
  const course = new Course(fleet, site);
  for (const stage of ["launch", "probe", "end"] as const)
    if ((await course[stage]()) === "late") break;
  return course.trial;
}

class Course {
  readonly trial: Trial;
  readonly #site: TrialSite;
  readonly #requests: Trial["requests"][number][] = [];
  readonly #sizes: Trace["sizes"];
  #replacement: InstanceId | undefined;

  constructor(fleet: Fleet, site: TrialSite) {
    this.#site = site;
    this.#sizes = fleet.sizes;
    this.trial = {
      sights: site.watcher.sights,
      requests: this.#requests,
      before: measureOf(fleet),
      raised: systemClock.now(),
      claim: site.wish.storageClass === "" ? "without a claim" : "with a claim",
      end: site.interruptions === "none" ? "termination" : "interruption",
    };
  }

  /** The trace comes first, so that whoever finds the group can undo what follows. */
  async launch(): Promise<End> {
    const { fleets, group, watcher, say, interruptions, patience } = this.#site;
    const { desired, max } = this.#sizes;
    const more = desired + 1;
    say(`${group}: one instance more`);
    await this.#trace("unknown");
    await fleets.resize(group, { desired: more, ...(more > max && { max: more }) });
    const instance = await this.#until(patience, (fleet) => this.#newcomer(fleet));
    if (instance === "late") return "late";
    await this.#trace(instance);
    this.trial.instance = instance;
    watcher.attend(instance);
    if (interruptions !== "none" && (await interruptions.spot([instance])).length === 0)
      throw new CommandFailure(
        `${instance}, which group ${group} has launched, is no Spot Instance, and FIS interrupts no other`,
        "name a group that launches Spot Instances alone, or leave out --spot",
      );
    say(`${instance}: launched, and awaited as a node`);
    const isOver = () => /^(?:Terminat|gone)/.test(watcher.state());
    const isServing = () => watcher.state() === "InService" || isOver();
    await this.#until(patience, () => isServing() || undefined);
    if (watcher.state() !== "InService" || watcher.node() === undefined) return "late";
    return "reached";
  }

  async probe(): Promise<End> {
    const { client, watcher, wish, request, patience, say } = this.#site;
    const node = watcher.node();
    if (node === undefined) return "late";
    this.trial.node = node.name;
    say(`${node.name}: Ready, and gets the probe`);
    await makeProbe(client, node, wish);
    const wanted = replicas + (wish.storageClass === "" ? 0 : 1);
    const allReady = () =>
      watcher.pods().length === wanted && watcher.pods().every(({ ready }) => ready);
    if ((await this.#until(patience, () => allReady() || undefined)) === "late")
      throw new CommandFailure(
        "the pods of the probe did not become ready in time",
        "see that the nodes can pull its image (--image), that policies let it run, and that the storage class exists",
      );
    if (!watcher.pods().some((pod) => isCounted(pod) && pod.node === node.name))
      throw new CommandFailure(
        `no pod of the probe runs on the new node ${node.name}, so that its end would show nothing`,
        "see what keeps pods off the node: it must run Linux and have room",
      );
    const isAnswered = async () => (await request(client)) === "" || undefined;
    if ((await this.#until(second, isAnswered)) === "late")
      throw new CommandFailure(
        `the API server does not reach the probe through its Service: ${await request(client)}`,
        "allow the cluster's security group port 8080 of the nodes, and yourself to get services/proxy",
      );
    this.trial.probed = systemClock.now();
    return "reached";
  }

  async end(): Promise<End> {
    const { watcher, client, group, fleets, request, patience, stopped } = this.#site;
    const ask = async () => {
      const failure = await request(client);
      this.#requests.push({ at: systemClock.now(), failure });
    };
    const asking = setInterval(() => void ask(), second);
    try {
      await pause(seconds(3), stopped);
      this.#assertGoesOn();
      await this.#endInstance();
      const isOver = () =>
        watcher.state() === "gone" && watcher.pods().filter(isCounted).length === replicas;
      await this.#until(patience, async (fleet) => {
        await this.#noteReplacement(fleet);
        return isOver() || undefined;
      });
    } finally {
      clearInterval(asking);
    }
    await this.#endReplacement();
    const after = await fleets.fleet(group);
    if (after === "absent") return "late";
    // A maximum that was raised for the trial is taken back with its other traces.
    const { max } = this.#sizes;
    const isRaised = this.#sizes.desired === max && after.sizes.max === max + 1;
    this.trial.after = { ...measureOf(after), ...(isRaised && { max }) };
    return "reached";
  }

  async #endInstance(): Promise<void> {
    const { fleets, group, interruptions, say } = this.#site;
    const { instance } = this.trial;
    if (instance === undefined) return;
    this.trial.ended = systemClock.now();
    if (interruptions === "none") {
      say(`${instance}: Auto Scaling ends it, and the size is as before`);
      await fleets.terminate(instance, "shrinks");
      return this.#trace("ended");
    }
    say(
      `${instance}: FIS advises to rebalance, warns a minute later, and two more later EC2 ends it`,
    );
    await interruptions.interrupt(instance, group);
  }

  /** A group replaces an instance that is interrupted. From then on it is the replacement that the group has too many. */
  async #noteReplacement(fleet: Fleet): Promise<void> {
    const { interruptions, say } = this.#site;
    if (interruptions === "none") return;
    await interruptions.assertGoesOn();
    const found = this.#newcomer(fleet);
    if (found === undefined || found === this.#replacement) return;
    this.#replacement = found;
    await this.#trace(found);
    say(`${found}: launched in its place, and ended as soon as it is gone`);
  }

  async #endReplacement(): Promise<void> {
    const { interruptions, patience } = this.#site;
    const { instance = "unknown", before } = this.trial;
    if (interruptions === "none") return;
    await this.#until(patience, async (fleet) => {
      await this.#noteReplacement(fleet);
      // One that a launch hook still holds may come into service while it is told to end.
      const isServing = ({ id, state }: FleetInstance) =>
        id === this.#replacement && state === "InService";
      return fleet.instances.find(isServing);
    });
    const trace: Trace = { sizes: this.#sizes, instance: this.#replacement ?? instance };
    if ((await shrink(this.#site, trace)) !== "") return;
    await this.#trace("ended");
    const isAsBefore = (fleet: Fleet) => isDeepStrictEqual(measureOf(fleet), before);
    await this.#until(patience, (fleet) => isAsBefore(fleet) || undefined);
  }

  #newcomer({ instances }: Fleet): InstanceId | undefined {
    const isNew = ({ id }: FleetInstance) =>
      !this.#site.before.has(id) && id !== this.trial.instance;
    return instances.find((one) => isNew(one) && isActive(one))?.id;
  }

  #trace(instance: Trace["instance"]): Promise<void> {
    return leaveTrace(this.#site, { sizes: this.#sizes, instance });
  }

  /** Looks at the group again and again until something has come about, also once after somebody has stopped it. */
  async #until<T>(
    patience: Duration,
    find: (fleet: Fleet) => T | undefined | Promise<T | undefined>,
  ): Promise<T | "late"> {
    const { fleets, group, watcher, stopped } = this.#site;
    const end = later(systemClock.now(), patience);
    for (;;) {
      const fleet = await fleets.fleet(group);
      if (fleet === "absent")
        throw new CommandFailure(`group ${group} is gone`, "name another group");
      watcher.see(fleet, await this.#isDown());
      const found = await find(fleet);
      if (found !== undefined) return found;
      this.#assertGoesOn();
      if (systemClock.now() >= end) return "late";
      await pause(look, stopped);
    }
  }

  /** Whether EC2 ends the instance that is interrupted. */
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
