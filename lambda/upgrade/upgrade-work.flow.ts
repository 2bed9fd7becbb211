import { later } from "../base/time.ts";
import type { QueueWork } from "../notice/queue-work.flow.ts";
import type { UpgradePorts } from "../registrations/ports.ts";
import { Reports } from "../report/reports.flow.ts";
import { type UpgradeCommand, upgradeOf } from "./request.ts";
import type { UpgradeEnd, UpgradeEntry } from "./upgrade-entry.ts";
import { upgradePass } from "./upgrade-pass.flow.ts";
import type { UpgradePolicy } from "./upgrade-tools.flow.ts";

/** An upgrade takes days: a pass a minute for as long as its messages can be renewed. */
const mostReceives = 100_000;

const work = { kind: "upgraded" } as const;

/** The work that messages about upgrades ask for. */
export function upgradeWork(
  policy: UpgradePolicy,
  ports: UpgradePorts,
): QueueWork<UpgradeCommand, UpgradeEnd> {
  const reports = new Reports({ ...policy, ...ports });
  return {
    pass: policy.drain.pass,
    mostReceives,
    run({ content: command, receives }, pass, journal) {
      const begun = ports.clock.now();
      const server = asked(() => ports.groupNodes.version());
      const tools = { command, policy, passEnds: later(begun, pass), server };
      const reported = { notice: work, instance: "", receives, journal, begun } as const;
      return reports.hear(reported, async (heard, tell) => {
        const done = await upgradePass({ ...tools, ports: { ...ports, journal: heard } });
        if ("outcome" in done) tell(endEntry(command, done.outcome));
        return done;
      });
    },
    subjectOf: ({ group }) => ({ group }),
    startEntry: ({ content, receives }) => ({
      kind: "upgrade-pass",
      upgrade: upgradeOf(content),
      command: content.kind,
      receives,
    }),
    endEntry,
    settled: () => reports.settled(),
  };
}

const endEntry = (command: UpgradeCommand, end: UpgradeEnd): UpgradeEntry => ({
  kind: "upgrade-answered",
  upgrade: upgradeOf(command),
  command: command.kind,
  end,
});

/** Asks with the first call, and keeps the answer. */
function asked<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= ask();
    return answer;
  };
}
