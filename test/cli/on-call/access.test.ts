import { describe, expect, it } from "vitest";
import { seconds } from "../../../lambda/base/time.ts";
import { throttled } from "../../../sandbox/kubernetes/api/planned-faults.ts";
import { account, clusterGroup, id } from "../../lib/doctor/broken-links/break.ts";
import { applied, remedyBelow } from "./as-printed.ts";
import { asDoctorSays, handled, nobodyDrains, type Screens, type Trouble } from "./handled.ts";
import { callOff, many, type OnCallSite } from "./on-call-site.ts";

/** Gives the functions a share of the API server; what floods it no longer concerns them. */
async function ownPriority(site: OnCallSite, { doctor }: Screens): Promise<void> {
  expect(remedyBelow(doctor, /^broken +API server:/)).toContain('"apiPriority": "own"');
  const { out } = await site.runWith({ apiPriority: "own" }, "manifests", "sample");
  expect(applied(out, site)).toEqual(
    expect.arrayContaining([
      "FlowSchema eks-node-lifecycle",
      "PriorityLevelConfiguration eks-node-lifecycle",
    ]),
  );
  callOff(site);
}

/** What keeps the function from the API server, or makes it slow. */
const troubles: Readonly<Record<string, Trouble>> = {
  "the function's access entry is missing": {
    breaking: ({ aws }) =>
      aws.eks.findCluster("sample").entries.delete(`arn:aws:iam::${account}:role/${id.role}`),
    says: {
      status: /^ {2}not marked: tried \d+ times?, stopped by `cluster\.unauthorized`$/m,
      doctor: /^broken {3}access: cluster sample does not admit role .*NodeRole/m,
    },
    broken: ["access"],
    untrue: nobodyDrains,
    remedy: asDoctorSays("access"),
  },
  "the function's role binding is missing": {
    breaking: ({ rbac }) => {
      const isIts = ({ kind, metadata }: (typeof rbac)[number]) =>
        kind === "ClusterRoleBinding" && metadata.name === "eks-node-lifecycle";
      rbac.splice(rbac.findIndex(isIts), 1);
    },
    says: {
      status: /^ {2}not marked: tried \d+ times?, stopped by `cluster\.forbidden`$/m,
      doctor: /^broken {3}rbac: the function may not get, list, watch, patch nodes;/m,
    },
    broken: ["rbac"],
    untrue: nobodyDrains,
    async remedy(site, { doctor }) {
      const remedy = remedyBelow(doctor, /^broken +rbac:/);
      const [, command = ""] =
        /npx eks-node-lifecycle (.*?) \| kubectl apply -f -/.exec(remedy) ?? [];
      const { out } = await site.run(...command.split(" "));
      applied(out, site);
    },
  },
  "the security group of the cluster is closed to the function": {
    breaking: ({ door, records, amend }) => {
      door.shut();
      amend(records.securityGroups, clusterGroup, { IpPermissions: [] });
    },
    by: ({ kubeconfig }) => ["--kubeconfig", kubeconfig],
    says: {
      status: /^ {2}not marked: tried \d+ times?, stopped by `cluster\.unreachable`$/m,
      doctor:
        /^broken {3}security groups: security group .* does not let the function's .* in on port 443$/m,
    },
    broken: ["security groups"],
    untrue: nobodyDrains,
    remedy: asDoctorSays("security groups"),
  },
  "the API server answers requests with HTTP 429": {
    breaking: ({ cluster, faults }) =>
      faults.push(
        cluster.failNext({ path: "/version" }, throttled(1), many),
        cluster.failNext({ subresource: "eviction" }, throttled(1), many),
      ),
    says: {
      status: /its eviction was refused \(throttled\): /,
      doctor:
        /^broken {3}API server: the API server is busy: it answers 3 of 3 requests with HTTP 429/m,
    },
    broken: ["API server"],
    unknown: ["node versions"],
    untrue: [/faults of the last hour/],
    remedy: ownPriority,
  },
  "the API server is slow": {
    breaking: ({ cluster, faults }) =>
      faults.push(cluster.failNext({}, { slow: seconds(3) }, many)),
    says: {
      doctor:
        /^broken {3}API server: the API server is slow: it takes (?:[3-9]|\d\d) s to \d+ s to answer a small request/m,
    },
    broken: ["API server"],
    untrue: [/faults of the last hour/],
    remedy: ownPriority,
  },
};

describe("on call, two commands show the cause and the way out where", () => {
  it.each(Object.entries(troubles))("%s", (_, trouble) => handled(trouble));
});
