import type { InstanceId } from "../../lambda/base/ids.ts";
import { instant } from "../../lambda/base/time.ts";
import type { DrainPorts } from "../../lambda/drain/drain.port.ts";
import type { DrainEntry } from "../../lambda/drain/drain-entry.ts";
import type { DrainOutcome } from "../../lambda/drain/drain-outcome.ts";
import { drainReasons } from "../../lambda/drain-reasons.ts";
import { type OpenSubject, roomBy } from "../../lambda/drain-subjects.ts";
import type { Ec2Instance } from "../../lambda/group/ec2-instance.ts";
import type { Instances } from "../../lambda/group/group.port.ts";
import type { KubeCluster } from "../../lambda/kubernetes/kube-cluster.ts";
import type { Journal } from "../../lambda/notice/journal.port.ts";
import type { NoticeDone } from "../../lambda/notice/pass-entry.ts";
import { sharedPorts } from "../../lambda/process/shared-ports.ts";
import { type AwsParts, awsParts } from "../connect/aws-parts.ts";
import type { AwsAnswer, NamedNode } from "./targets.ts";

/** The entries of a drain, and that about its end. */
export type ToldEntry = DrainEntry | NoticeDone<DrainOutcome>;

/** The ports of a drain whose journal gets its end too. */
export interface RecordingPorts extends DrainPorts {
  readonly journal: Journal<ToldEntry>;
  readonly subjects: readonly OpenSubject[];
}

export function drainPorts({
  subjects,
  cluster,
  clock,
  journal,
  asked,
  targets,
}: {
  /** They are the same for all drains of a command, which know of each other. */
  readonly subjects: RecordingPorts["subjects"];
  readonly cluster: KubeCluster;
  readonly clock: DrainPorts["clock"];
  readonly journal: RecordingPorts["journal"];
  readonly asked: AwsAnswer;
  readonly targets: readonly NamedNode[];
}): RecordingPorts {
  const { groups, ec2, balancers } = asked.kind === "asked" ? asked.aws : awsParts({});
  return {
    cluster,
    subjects,
    groups,
    instances: new NamedInstances(targets, asked.kind === "asked" ? ec2 : asked.kind),
    balancers,
    clock,
    journal,
    reasons: drainReasons,
    room: roomBy(subjects),
    ...sharedPorts(clock),
  };
}

// Without EC2 nobody knows whether the instance has ended, so its node is drained.
const presumed: Ec2Instance = {
  names: [],
  platform: "linux",
  profile: "",
  vpc: "",
  launched: instant(0),
  life: "there",
  lifecycle: "on-demand",
};

/** The instances of the named nodes, whose nodes are known. */
class NamedInstances implements Instances {
  readonly #targets: readonly NamedNode[];
  readonly #ec2: AwsParts["ec2"] | "unasked";

  constructor(targets: readonly NamedNode[], ec2: AwsParts["ec2"] | "unasked") {
    this.#targets = targets;
    this.#ec2 = ec2;
  }

  async describe(instance: InstanceId): Promise<Ec2Instance | "unknown"> {
    const said = this.#ec2 === "unasked" ? presumed : await this.#ec2.describe(instance);
    const own = this.#targets.filter((target) => target.instance === instance);
    return said === "unknown" ? said : { ...said, names: own.map(({ node }) => node.name) };
  }

  async groupsOf(): ReturnType<Instances["groupsOf"]> {
    return new Map();
  }

  async namesOf(): ReturnType<Instances["namesOf"]> {
    return new Map();
  }
}
