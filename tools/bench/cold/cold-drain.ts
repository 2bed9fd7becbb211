import { functionFolder, nodeFunction } from "../../../cli/replay/deploy-demo.ts";
import { bundleIn } from "../../../sandbox/lambda/lambda-service.ts";
import { deployQueueFunction } from "../../../sandbox/queue-function.ts";
import { type Sandbox, startSandbox } from "../../../sandbox/sandbox.ts";
import type { Scenario, World } from "../../../sandbox/scenario.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { demoNg, demoNode } from "../../../sandbox/scenarios/demo-ng.ts";
import { instancesIn, nodeOf } from "../../../sandbox/scenarios/demo-ng-group.ts";
import { newChild } from "./child.ts";
import type { CpuShare } from "./cpu-share.ts";

const { instance, account } = terminateAction;
/** The node that ends. */
export const leaving = nodeOf(instancesIn(account.region, instance).leaving);

/** When the API server answered, by `performance.now()`. */
export interface Answers {
  marked: number;
  readonly evicted: number[];
}

/** The demo, with this many pods more on the node that ends. It notes when the API server answers. */
function crowded(count: number, answers: Answers): Scenario {
  const demo = demoNg();
  return {
    ...demo,
    populate(world: World) {
      demo.populate(world);
      const pods = Array.from({ length: count }, (_, at) => ({ name: `web-${at}`, node: leaving }));
      world.cluster.addDeployment({
        name: "web",
        replicas: count,
        pods,
        spec: { terminationGracePeriodSeconds: 1 },
      });
      const handle = world.cluster.handle.bind(world.cluster);
      Object.assign(world.cluster, {
        async handle(request: Parameters<typeof handle>[0]) {
          const answer = await handle(request);
          if (request.method === "PATCH" && answers.marked === 0)
            answers.marked = performance.now();
          if (/\/web-\d+\/eviction$/.test(request.path)) answers.evicted.push(performance.now());
          return answer;
        },
      });
    },
  };
}

/** Who empties the node: given the sandbox, starts a process that does, and waits until it is done. */
export type Drainer = (sandbox: Sandbox) => Promise<void>;

/** The costs of one drain of a new process; times are from the start of the process. */
export type DrainFigures = Readonly<
  Record<"cpu" | "evicted" | "marked" | "mb" | "released", number>
>;

const settings = { DRAIN_SETTLE_SECONDS: "1" };

/** Fills the node of a new sandbox with pods, and measures the process that evicts them. */
export async function coldDrain(
  pods: number,
  drainer: Drainer,
  share?: CpuShare,
): Promise<DrainFigures> {
  const answers: Answers = { marked: 0, evicted: [] };
  const code = bundleIn(await functionFolder());
  const node = { ...nodeFunction(demoNode, settings), code };
  const sandbox = await startSandbox(crowded(pods, answers), (world) =>
    deployQueueFunction(node, world),
  );
  try {
    const begun = drainer(sandbox);
    const child = await newChild(share);
    let used = child.used();
    const watching = setInterval(() => {
      used = child.used() ?? used; // it ends by itself, or with the sandbox
    }, 20);
    await begun;
    const released = Math.round(performance.now() - child.began);
    clearInterval(watching);
    const { cpu = 0, mb = 0 } = child.used() ?? used ?? {};
    const [marked, evicted] = [answers.marked, answers.evicted.at(-1) ?? 0];
    return {
      cpu,
      mb,
      released,
      marked: Math.max(0, Math.round(marked - child.began)),
      evicted: Math.round(evicted - child.began),
    };
  } finally {
    await sandbox.close();
  }
}
