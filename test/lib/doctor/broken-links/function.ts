import type { DoctorSite } from "../doctor-site.ts";
import { arn, type Breaks, clusterGroup, denying, id } from "./break.ts";

/** Changes settings of the function. */
function configured({ records, amend }: DoctorSite, change: Readonly<Record<string, string>>) {
  const { Variables } = records.functions.get(id.function)?.Environment ?? {};
  amend(records.functions, id.function, {
    Environment: { Variables: { ...Variables, ...change } },
  });
}

/** Ways to break the links of the function: what calls it, its network and its role. */
export const functionBreaks: Breaks = {
  mapping: [
    {
      how: "the mapping is disabled",
      breaking: ({ records, amend }) => amend(records.mappings, id.mapping, { State: "Disabled" }),
      says: /is Disabled, so the function gets no notice/,
    },
    {
      how: "the mapping reads another queue",
      breaking: ({ records, amend }) =>
        amend(records.mappings, id.mapping, { EventSourceArn: arn("sqs", "other") }),
      says: /reads .*:other, not/,
    },
    {
      how: "the mapping gives back whole batches",
      breaking: ({ records, amend }) =>
        amend(records.mappings, id.mapping, { FunctionResponseTypes: [] }),
      says: /gives back whole batches/,
    },
    {
      how: "the mapping lets the function work on fewer batches",
      breaking: ({ records, amend }) =>
        amend(records.mappings, id.mapping, { ScalingConfig: { MaximumConcurrency: 2 } }),
      says: /lets the function work on 2 batches at the same time, not on 10/,
    },
    {
      how: "the mapping cannot call the function",
      breaking: ({ records, amend }) =>
        amend(records.mappings, id.mapping, {
          LastProcessingResult: "PROBLEM: Function call failed",
        }),
      says: /says: PROBLEM: Function call failed/,
    },
    {
      how: "the mapping is deleted",
      breaking: ({ records }) => records.mappings.delete(id.mapping),
      says: /mapping is not there/,
    },
  ],
  function: [
    {
      how: "the function has failed",
      breaking: ({ records, amend }) => amend(records.functions, id.function, { State: "Failed" }),
      says: /is Failed/,
    },
    {
      how: "the function has an old runtime",
      breaking: ({ records, amend }) =>
        amend(records.functions, id.function, { Runtime: "nodejs20.x" }),
      says: /runs on nodejs20.x, and its code is for nodejs24.x/,
    },
    {
      how: "the last update of the function has failed",
      breaking: ({ records, amend }) =>
        amend(records.functions, id.function, { LastUpdateStatus: "Failed" }),
      says: /the last update of function .* failed/,
    },
    {
      how: "the function gives notices back to another queue",
      breaking: (site) => {
        const { QUEUE_URL: url = "" } =
          site.records.functions.get(id.function)?.Environment?.Variables ?? {};
        configured(site, { QUEUE_URL: `${url}-2` });
      },
      says: /gives notices back to .*-2, which is not its queue/,
    },
    {
      how: "the function works for another cluster",
      breaking: (site) => configured(site, { CLUSTER_NAME: "other" }),
      says: /works for cluster other, not for sample/,
    },
    {
      how: "the function's environment cannot be read",
      breaking: (site) => configured(site, { DRAIN_MODE: "nonsense" }),
      says: /DRAIN_MODE/,
      follows: ["hooks", "Capacity Blocks", "network", "permissions", "rbac", "fences", "upgrades"],
    },
    {
      how: "the function is deleted",
      breaking: ({ records }) => records.functions.delete(id.function),
      says: /the function is not there, although the stack has it/,
      follows: [
        "hooks",
        "Capacity Blocks",
        "network",
        "security groups",
        "permissions",
        "access",
        "rbac",
        "fences",
        "upgrades",
      ],
    },
  ],
  network: [
    {
      how: "the NAT gateway is gone, and the route a black hole",
      breaking: ({ records, amend }) =>
        amend(records.routeTables, "private", {
          Routes: [
            { DestinationCidrBlock: "0.0.0.0/0", NatGatewayId: "nat-1", State: "blackhole" },
          ],
        }),
      says: /has no way out: .* no endpoint for autoscaling, ec2, eks, sqs/,
    },
    {
      how: "the subnets are public",
      breaking: ({ records, amend }) =>
        amend(records.routeTables, "private", {
          Routes: [{ DestinationCidrBlock: "0.0.0.0/0", GatewayId: "igw-1", State: "active" }],
        }),
      says: /an internet gateway, which a function cannot use/,
    },
  ],
  "security groups": [
    {
      how: "the function's security group lets nothing out",
      breaking: ({ records, amend }) =>
        amend(records.securityGroups, id.group, { IpPermissionsEgress: [] }),
      says: /lets HTTPS out/,
    },
    {
      how: "the cluster's security group lets nothing in",
      breaking: ({ records, amend }) =>
        amend(records.securityGroups, clusterGroup, { IpPermissions: [] }),
      says: /does not let the function's .* in on port 443/,
    },
  ],
  permissions: [
    {
      how: "the function's role may not complete a hook",
      breaking: denying(id.role, "autoscaling:CompleteLifecycleAction"),
      says: /do not allow autoscaling:CompleteLifecycleAction on .*autoScalingGroupName\/workers/,
    },
    {
      how: "the function's role may not write the journal, which the alarms are made of",
      breaking: denying(id.role, "logs:PutLogEvents"),
      says: /do not allow logs:PutLogEvents on .*:log-group:/,
    },
  ],
};
