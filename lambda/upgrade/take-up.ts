import type { Bookmark, EndedUpgrade } from "./bookmark.ts";
import type { BookmarkReading, Waiting } from "./bookmark-tags.ts";
import type { UpgradeEnd } from "./upgrade-entry.ts";
import { type UpgradeCommand, upgradeOf } from "./upgrade-message.ts";

/** The effect of a message on the upgrade in the tags of its group. */
export type TakeUp =
  /** It carries the upgrade on. */
  | { readonly kind: "carry-on"; readonly bookmark: Bookmark }
  /** It starts the upgrade. */
  | { readonly kind: "begin" }
  /** It ends an upgrade whose start message has not come, or comes back. */
  | { readonly kind: "call-off"; readonly id: string }
  /** First these tags are written. The progress stays as the pass under way writes it, unless it `restarts`. */
  | {
      readonly kind: "write";
      readonly bookmark: Bookmark;
      readonly progress: "restarts" | "as it is";
    }
  | { readonly kind: "end"; readonly end: UpgradeEnd };

const refused = (...reasons: readonly string[]): TakeUp => ({
  kind: "end",
  end: { kind: "refused", reasons },
});

const end = (kind: "paused" | "taken-over"): TakeUp => ({ kind: "end", end: { kind } });

/** Decides what a message does. Only the message that the tags name carries an upgrade on. */
export function takeUp(
  command: UpgradeCommand,
  reading: BookmarkReading,
  ended: EndedUpgrade | undefined,
): TakeUp {
  const { group, kind } = command;
  if (reading.kind === "unreadable")
    return refused(
      `tag ${reading.key} of group ${group} says "${reading.text}", which nobody can read: write it as it was, or remove the tags of the upgrade and put the sizes of the group right`,
    );
  if (reading.kind === "bookmark") return about(command, reading.bookmark, ended);
  const wanted = upgradeOf(command);
  if (ended?.id === wanted) return endedAs(ended);
  if (ended?.earlier.includes(wanted))
    return refused(`upgrade ${wanted} of group ${group} has ended long ago`);
  return reading.kind === "waiting" && (reading.id !== wanted || isLater(kind))
    ? refused(waitingText(command, reading))
    : notBegun(command);
}

function notBegun(command: UpgradeCommand): TakeUp {
  if (command.kind === "start") return { kind: "begin" };
  return command.kind === "abort"
    ? { kind: "call-off", id: command.of }
    : refused(`no upgrade of group ${command.group} is under way`);
}

const isLater = (kind: UpgradeCommand["kind"]): boolean => kind !== "start" && kind !== "abort";

function waitingText(command: UpgradeCommand, { id }: Waiting): string {
  const wanted = upgradeOf(command);
  const waits = `upgrade ${id} of group ${command.group} has not begun yet`;
  return id === wanted
    ? `${waits}, and has nothing to ${command.kind}: abort calls it off`
    : `not ${wanted}, but ${waits}`;
}

const endedAs = ({ outcome, issue }: EndedUpgrade): TakeUp =>
  outcome === "refused" ? refused(issue) : { kind: "end", end: { kind: "ended", outcome } };

function about(
  command: UpgradeCommand,
  bookmark: Bookmark,
  ended: EndedUpgrade | undefined,
): TakeUp {
  const { id, kind, group } = command;
  const wanted = upgradeOf(command);
  if (bookmark.id !== wanted)
    return refused(`not ${wanted}, but upgrade ${bookmark.id} of group ${group} is under way`);
  if (bookmark.overtaken.includes(id)) return end("taken-over");
  if (isCalledOff(bookmark, ended)) return written({ ...bookmark, state: "aborting" });
  if (bookmark.carrier === id) return { kind: "carry-on", bookmark };
  switch (kind) {
    case "pause":
      return paused(id, bookmark);
    case "start":
      return end("taken-over");
    case "resume":
      return resumed(overtaking(id, bookmark));
    case "rollback":
      return rolledBack(id, bookmark);
    case "abort":
      return written({ ...overtaking(id, bookmark), state: "aborting" });
  }
}

/** Whether it was aborted just when it began. */
const isCalledOff = ({ id, state }: Bookmark, ended: EndedUpgrade | undefined): boolean =>
  state !== "aborting" && ended?.id === id && ended.outcome === "aborted";

// As many as fit into a tag.
const mostOvertaken = 12;

const overtaking = (carrier: string, bookmark: Bookmark): Bookmark => ({
  ...bookmark,
  carrier,
  overtaken: [...bookmark.overtaken, bookmark.carrier].slice(-mostOvertaken),
});

const written = (bookmark: Bookmark): TakeUp => ({ kind: "write", bookmark, progress: "as it is" });

function paused(carrier: string, bookmark: Bookmark): TakeUp {
  const { id, state } = bookmark;
  return state === "running" || state === "paused"
    ? written({ ...overtaking(carrier, bookmark), state: "paused" })
    : refused(`upgrade ${id} is ${state}, and puts everything back`);
}

/** Has an upgrade go back to its old nodes, as long as it keeps them. */
function rolledBack(carrier: string, bookmark: Bookmark): TakeUp {
  const why = noWayBack(bookmark);
  return why === ""
    ? written({ ...overtaking(carrier, bookmark), state: "rolling-back" })
    : refused(why);
}

/** Why an upgrade cannot be rolled back; empty if it can. */
export function noWayBack({ id, options, phase, state }: Bookmark): string {
  if (options.keepOld === "none")
    return `upgrade ${id} keeps no old nodes (--keep-old): abort stops it`;
  if (state === "aborting" || state === "failing")
    return `upgrade ${id} is ${state}, and puts everything back`;
  return phase === "scale-down"
    ? `upgrade ${id} has ended its old nodes, so there is nothing to go back to`
    : "";
}

/** Resumes an upgrade that was paused: it looks at everything again. */
const resumed = (bookmark: Bookmark): TakeUp =>
  bookmark.state === "paused"
    ? {
        kind: "write",
        bookmark: {
          ...bookmark,
          state: "running",
          phase: "set-up",
          // Nobody has watched the new nodes meanwhile.
          soak: bookmark.soak === "none" ? "none" : "owed",
          watched: "none",
        },
        progress: "restarts",
      }
    : written(bookmark);
