import type { Clock } from "./base/clock.port.ts";
import type { NodeName } from "./base/ids.ts";
import type { Cluster, DrainPorts } from "./drain/drain.port.ts";
import type { DrainSettings } from "./drain/drain-policy.ts";
import { noRoom, type OpensRoom } from "./drain/room.port.ts";
import type { KubeClient } from "./kubernetes/kube-connection.ts";
import type { WordsFor } from "./notice/notice-words.ts";
import type { Note } from "./notice/outcome.ts";
import type { ScheduledReader } from "./notice/read-notice.ts";
import type { ReportRows } from "./report/report-tools.flow.ts";
import * as subjects from "./subjects.ts";

type Listed = (typeof subjects)[keyof typeof subjects];

/** The notices of the subjects that drains may have. */
export type OwnNotice = ReturnType<Listed["message"]["notice"]>;

/** The outcome of the work on them. */
export type OwnOutcome = Awaited<ReturnType<ReturnType<Listed["open"]>["work"]>>["outcome"];

type WorkPorts = Pick<DrainPorts, "clock" | "journal">;

/** A cluster, and what reads more of it. */
interface ClusterTools {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly cluster: Pick<Cluster, "cordonedNodes">;
}

/** A subject that drains may have besides the engine. */
interface DrainSubject extends ReportRows {
  /** The reader of its schedule's message. */
  readonly message: ScheduledReader<OwnNotice>;
  readonly words: WordsFor<OwnNotice>;
  open(tools: ClusterTools): OpenSubject;
  /** Undoes what it has changed in a cluster in which it loses its rights, and returns what is left. */
  giveBack(
    tools: Omit<ClusterTools, "cluster">,
    settings: DrainSettings,
    journal: WorkPorts["journal"],
  ): Promise<readonly Note[]>;
}

/** A subject in a cluster. */
export interface OpenSubject {
  /** The kind of the message of its schedule. */
  readonly kind: string;
  readonly room: OpensRoom;
  /** Does what that message asks for; a command, which looks once, names the nodes whose drains it knows to be over. */
  work(
    settings: DrainSettings,
    ports: WorkPorts,
    over?: readonly NodeName[],
  ): Promise<{ readonly outcome: OwnOutcome; readonly skipped: readonly Note[] }>;
}

export const drainSubjects = Object.values<DrainSubject>(subjects);

export const openSubjects = (tools: ClusterTools): readonly OpenSubject[] =>
  drainSubjects.map((one) => one.open(tools));

/** The ways in which the subjects of a cluster make room. */
export const roomBy = ([first]: readonly OpenSubject[]): OpensRoom =>
  first?.room ?? (() => Promise.resolve(noRoom));
