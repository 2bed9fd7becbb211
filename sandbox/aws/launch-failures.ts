/** Why a group cannot launch an instance. */
export type LaunchTrouble = "addresses" | "capacity" | "limit";

/** Launches that will fail. */
export interface PlannedTrouble {
  readonly why: LaunchTrouble;
  /** @default all */
  readonly zones?: readonly string[];
  /** @default for ever */
  readonly times?: number;
}

interface LaunchAttempt {
  readonly zone: string;
  readonly zones: readonly string[];
  readonly type: string;
}

/** What Auto Scaling says of each trouble, in its own words. */
const messages: Readonly<Record<LaunchTrouble, (attempt: LaunchAttempt) => string>> = {
  addresses: ({ zone }) =>
    `There are not enough free addresses in subnet 'subnet-0a1b2c3d4e5f6071${zone.slice(-1)}' to satisfy the requested number of instances.`,
  capacity: ({ zone, zones, type }) => {
    const others = zones.filter((other) => other !== zone).join(", ");
    return `We currently do not have sufficient ${type} capacity in the Availability Zone you requested (${zone}). Our system will be working on provisioning additional capacity. You can currently get ${type} capacity by not specifying an Availability Zone in your request or choosing ${others}.`;
  },
  limit: () =>
    "You have requested more vCPU capacity than your current vCPU limit of 32 allows for the instance bucket that the specified instance type belongs to. Please visit http://aws.amazon.com/contact-us/ec2-request to request an adjustment to this limit.",
};

/** The failures to launch that a test plans. */
export class LaunchFailures {
  readonly #plans: { readonly trouble: PlannedTrouble; left: number }[] = [];

  plan(trouble: PlannedTrouble): void {
    this.#plans.push({ trouble, left: trouble.times ?? Number.POSITIVE_INFINITY });
  }

  /** From now on, launches succeed. */
  clear(): void {
    this.#plans.length = 0;
  }

  /** Why this launch fails; undefined if it succeeds. */
  take(attempt: LaunchAttempt): string | undefined {
    const due = this.#plans.find(
      ({ trouble, left }) => left > 0 && (trouble.zones?.includes(attempt.zone) ?? true),
    );
    if (due === undefined) return undefined;
    due.left -= 1;
    return `${messages[due.trouble.why](attempt)} Launching EC2 instance failed.`;
  }
}
