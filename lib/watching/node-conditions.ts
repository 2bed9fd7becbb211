import type { Operable } from "../operable.ts";
import { type AlarmCondition, any, lasting, period } from "./alarm-condition.ts";

/** The conditions about the node function and its notices. */
export const nodeConditions: readonly AlarmCondition<Operable>[] = [
  {
    kind: "deadLetters",
    id: "DeadLetters",
    tells: "A notice lies in the dead letters. docs/runbook.md#alarm-dead-letters",
    metric: (watched) => watched.metricDeadLetters({ period }),
    ...any,
  },
  {
    kind: "waitingNotices",
    id: "WaitingNotices",
    tells: "Nobody looks at the notices. docs/runbook.md#alarm-waiting-notices",
    metric: (watched) => watched.metricOldestNotice({ period }),
    above: () => 600,
    periods: 1,
  },
  {
    kind: "functionErrors",
    id: "FunctionErrors",
    tells: "The function crashes or times out. docs/runbook.md#alarm-function-errors",
    metric: (watched) => watched.metricFunctionErrors({ period }),
    ...any,
  },
  {
    kind: "functionThrottles",
    id: "FunctionThrottles",
    tells: "Lambda keeps refusing to run the function. docs/runbook.md#alarm-function-throttles",
    metric: (watched) => watched.metricFunctionThrottles({ period }),
    ...lasting,
  },
  {
    kind: "faults",
    id: "Faults",
    tells: "The function meets faults that do not pass. docs/runbook.md#alarm-faults",
    metric: (watched) => watched.metricFaults({ period }),
    ...lasting,
  },
  {
    kind: "expiredDrains",
    id: "ExpiredDrains",
    tells: "A node was not empty at its deadline. docs/runbook.md#alarm-expired-drains",
    metric: (watched) => watched.metricExpiredDrains({ period }),
    ...any,
  },
  {
    kind: "failedLaunches",
    id: "FailedLaunches",
    tells:
      "The node of a launched instance was not ready in time. docs/runbook.md#alarm-failed-launches",
    metric: (watched) => watched.metricFailedLaunches({ period }),
    ...any,
  },
  {
    kind: "lateHeartbeats",
    id: "LateHeartbeats",
    tells: "A hook nearly ran into its timeout. docs/runbook.md#alarm-late-heartbeats",
    metric: (watched) => watched.metricHeartbeatAge({ period }),
    above: ({ hooks }) => 0.75 * hooks.heartbeat.toSeconds(),
    periods: 1,
  },
  {
    kind: "lostNews",
    id: "LostNews",
    tells: "The webhook was not told of a drain. docs/runbook.md#alarm-lost-news",
    metric: (watched) => watched.webhook?.metricLost({ period }),
    ...any,
  },
];
