import { traceTag } from "../../cli/verify/probe.ts";
import { traceIn, traceText } from "../../cli/verify/traces.ts";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import { repairMessage } from "../../lambda/base/contract.ts";
import { groupName, instanceId } from "../../lambda/base/ids.ts";
import { hours, later, minutes, timestamp } from "../../lambda/base/time.ts";
import { parseConfig } from "../../lambda/config/config.ts";
import { textOf } from "../../lambda/config/form.ts";
import { causeAnnotations, tryCause } from "../../lambda/drain/cause.ts";
import { leaseMarking, tryLease } from "../../lambda/drain/eviction-lease.ts";
import {
  awaitedVolumes,
  drainedMarking,
  emptiedAnnotations,
  isCordonedByOthers,
  isDrainedSinceMark,
  lateSinceAnnotation,
  markingFor,
  tryEmptiedAt,
  tryMarkedAt,
  tryWrittenAt,
} from "../../lambda/drain/marking.ts";
import type { Node } from "../../lambda/drain/node.ts";
import { drainReasons } from "../../lambda/drain-reasons.ts";
import type { Maintenance } from "../../lambda/interruption/event-notice.ts";
import { isOutOfService, outOfServiceMarking } from "../../lambda/interruption/left-node.ts";
import { tracesOn, withTrace } from "../../lambda/interruption/maintenance-trace.ts";
import { healthEventOf } from "../../lambda/interruption/passed-on-event.ts";
import { readNotice } from "../../lambda/notices.ts";
import { jsonJournal } from "../../lambda/process/json-journal.ts";
import { parseRepairConfig } from "../../lambda/repair/repair-config.ts";
import { rebootMarking, tryRebootMark } from "../../lambda/repair/repair-marks.ts";
import { readRepair } from "../../lambda/repair/repair-message.ts";
import { type RepairRecord, recordsIn, recordTag } from "../../lambda/repair/repair-record.ts";
import { readAccessRequest } from "../../lambda/rights/access-request.ts";
import {
  bookmarkTags,
  endedTags,
  failingTags,
  readBookmark,
  tryEnded,
  tryFailing,
  tryWaiting,
  waitingTags,
} from "../../lambda/upgrade/bookmark-tags.ts";
import { ownValue, upgradeAnnotations } from "../../lambda/upgrade/node-marks.ts";
import { usualOptions } from "../../lambda/upgrade/options.ts";
import { readUpgrade, upgradeMessage } from "../../lambda/upgrade/upgrade-message.ts";
import { hasAttempt } from "../../lambda/upgrade/upgrade-reason.ts";
import { place } from "../config/place.ts";
import { settingRows } from "../config/setting-rows.ts";
import { samplesOf } from "../config/setting-samples.ts";
import { sampleEntries } from "../journal/sample-entries.ts";
import { sampleOutcomes } from "../journal/sample-outcomes.ts";
import { aNode, noon } from "../support/builders.ts";
import { aBookmark } from "../upgrade/upgrade-builders.ts";

/** Something that outlives a process, as one version wrote it, and what that version read in it. */
export interface Example {
  readonly format: Format;
  readonly name: string;
  readonly written: unknown;
  readonly read: unknown;
}

/** The formats of what outlives a process. */
export type Format = keyof typeof readers;

const id = "0badcafe";
const workers = groupName("workers");
const instance = instanceId("i-07e9ea9eb19a67337");
const volume = "kubernetes.io/csi/ebs.csi.aws.com^vol-0123456789abcdef0";
const taint = { key: "example.com/draining", value: "true", effect: "NoSchedule", timeAdded: "" };
const labels = (written: unknown) => Object(written) as Readonly<Record<string, string>>;

/** What a node tells of itself; it is written as labels, annotations, taints and the cordon. */
function nodeMark(written: unknown) {
  const its = aNode(Object(written) as Partial<Node>);
  const marked = tryMarkedAt(its, [taint]);
  return {
    cause: tryCause(its, drainReasons),
    marked,
    emptied: marked === undefined ? undefined : tryEmptiedAt(its, marked),
    volumes: marked === undefined ? undefined : awaitedVolumes(its, marked),
    late: tryWrittenAt(its, lateSinceAnnotation),
    drained: isDrainedSinceMark(its),
    cordonedByOthers: isCordonedByOthers(its, drainReasons),
    turn: tryLease(its),
    maintenance: tracesOn(its),
    reboot: tryRebootMark(its),
    outOfService: isOutOfService(its),
    upgradeTurn: hasAttempt(its),
    upgrade: Object.values(upgradeAnnotations).map((key) => ownValue(its, key, id)),
  };
}

const readers = {
  "journal line": (written: unknown) => tryReadEntry(String(written)),
  "upgrade message": (written: unknown) => readUpgrade(JSON.parse(String(written)), "message"),
  "repair message": (written: unknown) => readRepair(written, "message"),
  "Health notice": (written: unknown) => readNotice(written, "message"),
  "upgrade tags": (written: unknown) => ({
    bookmark: readBookmark(labels(written)),
    ended: tryEnded(labels(written)),
    waiting: tryWaiting(labels(written)),
    failing: tryFailing(labels(written)),
  }),
  "repair tags": (written: unknown) => recordsIn(labels(written)),
  "trial tag": (written: unknown) => traceIn(labels(written)),
  "node mark": nodeMark,
  settings: (written: unknown) => {
    const { drain, ...node } = parseConfig(labels(written));
    const { repair, every } = parseRepairConfig(labels(written));
    const { settings } = drain.settingsFor({});
    return { node, managed: drain.managed, settings, repair: repair.settingsFor({}), every };
  },
  "custom resource": (written: unknown) =>
    readAccessRequest(written, {
      invokedFunctionArn: "arn:aws:lambda:eu-west-1:123456789012:function:access",
    }),
};

/** Reads something that a version has written, as this version does; as JSON, which is what is kept of it. */
export const readAs = (format: Format, written: unknown): unknown =>
  (JSON.parse(JSON.stringify({ read: readers[format](written) ?? null })) as { read: unknown })
    .read;

function line(entry: (typeof sampleEntries)[keyof typeof sampleEntries]): string {
  let text = "";
  jsonJournal({ now: () => noon }, (more) => {
    text += more;
  }).record(entry);
  return text;
}

const done = Object.values(sampleOutcomes).map(
  (outcome) =>
    [
      `notice-done: ${outcome.kind}`,
      line({ kind: "notice-done", notice: "terminating i-1", outcome }),
    ] as const,
);

const target = {
  version: { kind: "version", version: 7 },
  image: { kind: "image", image: "ami-0123456789abcdef0" },
  parameter: { kind: "parameter", parameter: "/images/eks" },
  "as it is": { kind: "as-it-is" },
} as const;

const start = Object.entries(target).map(
  ([name, to]) =>
    [
      `start: ${name}`,
      upgradeMessage({ kind: "start", id, group: workers, to, options: usualOptions }),
    ] as const,
);

/** A marked node, as the flows write it: a drain's mark, and what may come to it. */
function markedNode(): Pick<Node, "annotations" | "labels" | "taints" | "unschedulable"> {
  const cause = { reason: "terminating", deadline: later(noon, minutes(15)) } as const;
  const before = aNode({ unschedulable: false });
  const mark = markingFor(before, { taints: [taint], cause, at: noon, lateSince: noon });
  const trace = {
    event: "arn:aws:health:eu-west-1::event/EC2/X/1",
    waiting: "id-of-the-event",
    startTime: later(noon, hours(24)),
    told: noon,
    heard: noon,
  };
  const upgrade = Object.values(upgradeAnnotations).map((key) => [
    key,
    `${id} 1 ${timestamp(noon)}`,
  ]);
  const annotations = {
    ...mark.annotations,
    ...causeAnnotations(cause),
    ...leaseMarking({ process: "one", until: later(noon, minutes(1)) }).annotations,
    ...withTrace(before, trace),
    ...rebootMarking({ stage: "asking", bootId: "boot-1", at: noon }).annotations,
    ...outOfServiceMarking(before).annotations,
    ...drainedMarking(later(noon, minutes(1))).annotations,
    ...emptiedAnnotations(later(noon, minutes(1)), [volume]),
    ...Object.fromEntries(upgrade),
  };
  return {
    labels: mark.labels,
    annotations: annotations as Node["annotations"],
    taints: [taint, ...outOfServiceTaints()],
    unschedulable: true,
  };
}

const outOfServiceTaints = (): Node["taints"] => {
  const { taints } = outOfServiceMarking(aNode());
  return taints === "as they are" ? [] : taints;
};

const health: Maintenance = {
  kind: "maintenance",
  id: "id-of-the-event",
  status: "upcoming",
  since: noon,
  instances: [instance],
  startTime: later(noon, hours(24)),
  event: "arn:aws:health:eu-west-1::event/EC2/X/1",
  eventType: "AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED",
};

const record: RepairRecord = {
  instance,
  at: noon,
  action: "replace",
  cause: "Ready/KubeletNotReady",
  version: "lt-0123456789abcdef0:3",
  inRow: 2,
  by: instanceId("i-0123456789abcdef0"),
};

const environment = {
  ...place,
  ...Object.fromEntries(
    settingRows.map((row) => {
      const [usual] = samplesOf(row);
      return [row.key, textOf(usual?.plain ?? "")];
    }),
  ),
};

const request = {
  RequestType: "Update",
  LogicalResourceId: "Access",
  StackId: "arn:aws:cloudformation:eu-west-1:123456789012:stack/EksNodeLifecycle-demo/1",
  ResourceProperties: {
    ClusterName: "demo",
    Force: "at-deadline",
    AwsAuth: "edit",
    ApiPriority: "own",
    OwnTaint: "example.com/draining=true:NoSchedule",
    Events: "on",
    RemoveNode: "terminated",
    OutOfService: "taint",
    Upgrades: "on",
    Repairs: "on",
    NodeRoles: ["arn:aws:iam::123456789012:role/nodes"],
  },
  OldResourceProperties: { ClusterName: "demo" },
};

const written: Readonly<Record<Format, readonly (readonly [name: string, written: unknown])[]>> = {
  "journal line": [
    ...Object.values(sampleEntries).map((entry) => [entry.kind, line(entry)] as const),
    ...done,
  ],
  "upgrade message": [
    ...start,
    ...(["pause", "resume", "abort"] as const).map(
      (kind) => [kind, upgradeMessage({ kind, id, group: workers, of: id })] as const,
    ),
  ],
  "repair message": [["of the schedule", { ...repairMessage, time: timestamp(noon) }]],
  "Health notice": [["that is sent again", healthEventOf(health)]],
  "upgrade tags": [
    [
      "under way",
      bookmarkTags(aBookmark({ issue: "PodEvictionFailure: node-1", unawaited: ["0a1b2c3d"] })),
    ],
    ["ended", endedTags({ id, outcome: "failed", at: noon, issue: "a reason" }, {})],
    ["waiting", waitingTags({ id, until: later(noon, hours(8)) })],
    ["failing", failingTags({ since: noon, fault: "aws.denied: resizing workers: HTTP 403" })],
  ],
  "repair tags": [["of a replacement", Object.fromEntries([recordTag(record)])]],
  "trial tag": [
    [
      "of verify",
      { [traceTag]: traceText({ sizes: { desired: 3, max: 5 }, instance, begun: noon }) },
    ],
  ],
  "node mark": [["with all that can be written", markedNode()]],
  settings: [["of the functions, all at their defaults", environment]],
  "custom resource": [["with all rights", request]],
};

/** One of all that outlives a process, as this version writes and reads it. */
export const examples = (): readonly Example[] =>
  (Object.keys(readers) as Format[]).flatMap((format) =>
    written[format].map(([name, one]) => {
      const kept: unknown = JSON.parse(JSON.stringify(one));
      return { format, name, written: kept, read: readAs(format, kept) };
    }),
  );
