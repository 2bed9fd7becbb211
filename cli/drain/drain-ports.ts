import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import { AutoScalingGroups } from "../../lambda/adapters/aws/auto-scaling-groups.ts";
import { AwsLoadBalancers } from "../../lambda/adapters/aws/aws-load-balancers.ts";
import { Ec2Instances } from "../../lambda/adapters/aws/ec2-instances.ts";
import type { KubeCluster } from "../../lambda/adapters/kubernetes/kube-cluster.ts";
import { SharedAdmissions } from "../../lambda/adapters/local/shared-admissions.ts";
import { SharedMarks } from "../../lambda/adapters/local/shared-marks.ts";
import { sharedPause } from "../../lambda/adapters/local/shared-pause.ts";
import { systemClock } from "../../lambda/adapters/local/system-clock.ts";
import type { InstanceId } from "../../lambda/domain/ids.ts";
import type { Ec2Instance } from "../../lambda/domain/node/ec2-instance.ts";
import { instant } from "../../lambda/domain/time.ts";
import type { Instances } from "../../lambda/ports/instances.ts";
import type { Journal } from "../../lambda/ports/journal.ts";
import type { Ports } from "../../lambda/ports/ports.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import type { Target } from "./targets.ts";

/** What a drain at a terminal is put together from. */
export interface DrainParts {
  readonly cluster: KubeCluster;
  readonly clock: Ports["clock"];
  readonly journal: Journal;
  /** How to reach AWS; `unasked` where nobody has credentials, or wants AWS to be asked. */
  readonly aws: AwsAccess | "unasked";
  readonly targets: readonly Target[];
}

/** Puts together what a drain reaches the world through, as the function does for itself. */
export function drainPorts({ cluster, clock, journal, aws, targets }: DrainParts): Ports {
  const options = aws === "unasked" ? {} : aws;
  const ec2 = aws === "unasked" ? aws : new Ec2Instances(new EC2Client(aws));
  return {
    cluster,
    groups: new AutoScalingGroups(new AutoScalingClient(options)),
    instances: new NamedInstances(targets, ec2),
    balancers: new AwsLoadBalancers(options, systemClock),
    clock,
    journal,
    pause: sharedPause(),
    marks: new SharedMarks(systemClock),
    admissions: new SharedAdmissions(systemClock),
    departures: new SharedAdmissions(systemClock),
  };
}

// Without EC2 nobody says that an instance has ended, so its node is drained whatever becomes of it.
const presumed: Ec2Instance = {
  names: [],
  platform: "linux",
  profile: "",
  vpc: "",
  launched: instant(0),
  life: "there",
};

/** The instances of nodes that a person has named, so that nobody has to look for the nodes. */
class NamedInstances implements Instances {
  readonly #targets: readonly Target[];
  readonly #ec2: Ec2Instances | "unasked";

  constructor(targets: readonly Target[], ec2: Ec2Instances | "unasked") {
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
