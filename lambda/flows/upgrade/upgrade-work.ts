import { later, seconds } from "../../domain/time.ts";
import { type UpgradeCommand, upgradeOf } from "../../domain/upgrade/request.ts";
import type { UpgradeEnd } from "../../domain/upgrade/upgrade-entry.ts";
import type { UpgradePorts } from "../../ports/ports.ts";
import type { QueueWork } from "../queue/queue-work.ts";
import { upgradePass } from "./upgrade-pass.ts";
import type { UpgradePolicy } from "./upgrade-tools.ts";

/** An upgrade takes days: a pass a minute for as long as its messages can be renewed. */
const mostReceives = 100_000;

/** The work that messages about upgrades ask for. */
export function upgradeWork(
  policy: UpgradePolicy,
  ports: UpgradePorts,
): QueueWork<UpgradeCommand, UpgradeEnd> {
  return {
    pass: policy.drain.pass,
    // A pass that is over still waits for an answer of the API server, for 40 seconds at most.
    afterPass: seconds(45),
    mostReceives,
    run({ content: command }, pass, journal) {
      const passEnds = later(ports.clock.now(), pass);
      const server = asked(() => ports.fleetNodes.version());
      return upgradePass({ command, policy, passEnds, server, ports: { ...ports, journal } });
    },
    subjectOf: ({ group }) => ({ group }),
    startEntry: ({ content, receives }) => ({
      kind: "upgrade-pass",
      upgrade: upgradeOf(content),
      command: content.kind,
      receives,
    }),
    endEntry: (content, end) => ({
      kind: "upgrade-answered",
      upgrade: upgradeOf(content),
      command: content.kind,
      end,
    }),
    settled: async () => undefined,
  };
}

/** Asks with the first call, and keeps the answer. */
function asked<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= ask();
    return answer;
  };
}
