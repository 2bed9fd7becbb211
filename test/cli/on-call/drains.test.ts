import { describe, it } from "vitest";
import { minutes } from "../../../lambda/base/time.ts";
import { budgets } from "../../../sandbox/kubernetes/budget.ts";
import { blockNginx } from "../../../sandbox/scenarios/demo-ng-workloads.ts";
import { asDoctorSays, handled, nobodyDrains, type Trouble } from "./handled.ts";
import { callOff, ending, many } from "./on-call-site.ts";

/** What holds pods on a node. */
const troubles: Readonly<Record<string, Trouble>> = {
  "a budget can never be met": {
    breaking: ({ cluster }) => blockNginx(cluster),
    says: {
      status:
        /held for .* by budget demo\/nginx-demo, which can never be met \(maxUnavailable 0\): raise it$/m,
    },
    untrue: [/it is deleted past/, /^broken/m, /faults of the last hour/],
    remedy({ cluster }) {
      const ref = { resource: budgets, namespace: "demo", name: "nginx-demo" };
      cluster.store.update(ref, (its) => ({ ...its, spec: { ...its.spec, maxUnavailable: 1 } }));
    },
  },
  "the kubelet of the node is dead": {
    breaking: ({ cluster }) => cluster.stopKubelet(ending.node),
    says: { status: /^ {4}demo\/nginx-demo.*: should have ended \d+ s ago$/m },
    untrue: [/not evicted yet$/m, /^broken/m, /faults of the last hour/],
    remedy: () => undefined, // the drain gives the pods up, as the runbook says
    outcome: "forced",
  },
  "a hook of others holds the instance after its drain": {
    breaking: ({ aws }) =>
      aws.autoScaling.putHook("workers", {
        name: "theirs",
        transition: "autoscaling:EC2_INSTANCE_TERMINATING",
        defaultResult: "CONTINUE",
        heartbeat: minutes(30),
      }),
    says: {
      status:
        /^ {2}the function is done with it, and no hook of this deployment holds it any more\n {2}hook theirs notifies others, and holds it$/m,
      doctor:
        /^note {5}held instances: the function is done with instance \S+, and hook theirs of others may hold it still$/m,
    },
    untrue: [
      ...nobodyDrains.filter((one) => !one.test("  marked")),
      /resend/,
      /held by Terminate-/,
    ],
    remedy: asDoctorSays("held instances"),
  },
  "a webhook denies every eviction": {
    breaking: ({ cluster, faults }) => {
      const message = 'admission webhook "guardian" denied the request: not now';
      const body = { kind: "Status", apiVersion: "v1", status: "Failure", code: 400, message };
      faults.push(cluster.failNext({ subresource: "eviction" }, { status: 400, body }, many));
    },
    says: {
      status:
        /its eviction was refused \(denied\): admission webhook "guardian" denied the request: not now$/m,
    },
    untrue: [/not evicted yet$/m, /^broken/m],
    remedy: callOff, // somebody takes the webhook away that is named
  },
};

describe("on call, two commands show the cause and the way out where", () => {
  it.each(Object.entries(troubles))("%s", (_, trouble) => handled(trouble));
});
