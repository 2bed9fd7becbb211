/** Ways to run the control plane other than as its binaries are: the flags of its programs, by name. */
export const playedVersions = {
  "1.33": emulating("1.33"),
  "1.34": emulating("1.34"),
  "1.35": emulating("1.35"),
  // Kubernetes 1.36 streams lists; whoever runs a cluster can switch that off.
  "watch-list-off": { APISERVER_EXTRA: "--feature-gates=WatchList=false" },
} satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The suites that stand for every room: what another version of Kubernetes might answer otherwise. */
export const everyRoom = [
  "played-version", // the version itself, and its streamed lists
  "drain", // drains with budgets, tiers, a webhook, Events, volumes
  "one-drain", // the requests of a drain, and untrue events
  "contract", // every request of the function: watches that are lost, budgets, throttling, rights
  "launch", // launches with aws-auth, readiness, the Node of an ended instance
  "node-access", // aws-auth beside access entries
  "stack", // access entries alone; what a deployment applies
  "agent-fence",
  "aws-auth-fence",
  "event-fence",
  "node-conditions",
  "node-fence",
  "node-removal",
  "pod-fence",
  "room-fence",
  "upgrade-ways", // an upgrade, its rollback, and a node set aside
  "repair",
  "making-room", // surges
  "plan",
  "plan-devices",
  "api-priority",
  "doctor",
] as const;

/** The suites of what a played version does not have. */
export const absentRooms: Readonly<Record<string, readonly string[]>> = {
  // Resource claims are on by default from 1.34.
  "1.33": ["plan-devices"],
};

/** All programs of a control plane emulate a version, or the scheduler waits for kinds that are not there. */
function emulating(version: string) {
  const flag = `--emulated-version=${version}`;
  return { APISERVER_EXTRA: flag, KCM_EXTRA: flag, SCHED_EXTRA: flag };
}
