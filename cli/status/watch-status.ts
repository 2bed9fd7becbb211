import { seconds } from "../../lambda/base/time.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { pause } from "../pause.ts";
import { type Line, line, linesText, writeLines } from "../terminal/lines.ts";
import { Screen } from "../terminal/screen.ts";
import { type WaitWords, waitWithWords } from "../terminal/wait-with-words.ts";
import { statusLines } from "./status-lines.ts";
import type { ClusterStatus } from "./status-schema.ts";

/** The lines that are new since the last look, and those that are gone. */
export function statusChanges(before: readonly Line[], now: readonly Line[]): readonly Line[] {
  const without = (lines: readonly Line[], others: readonly Line[]) => {
    const known = new Set(others.map(({ depth, news }) => `${depth} ${news}`));
    return lines.filter(({ depth, news }) => !known.has(`${depth} ${news}`));
  };
  return [
    ...without(before, now).map(({ depth, text }) => line("faint", depth, `no longer: ${text}`)),
    ...without(now, before),
  ];
}

/** The output of a status. */
export interface StatusOutput {
  readonly io: Io;
  readonly look: () => Promise<ClusterStatus>;
  readonly form: "json" | "text";
  /** The words for a look that takes long. */
  readonly wait: Pick<WaitWords, "about" | "why">;
}

/** Reports the status once, and returns it. */
export async function tellStatus(telling: StatusOutput): Promise<ClusterStatus> {
  const { io, look, form, wait } = telling;
  const screen = new Screen(io);
  if (form === "text") screen.show(["reading Auto Scaling, the cluster and the queue"]);
  const tell = (text: string) => screen.complain(text);
  const status = await waitWithWords({ ...wait, tell }, look).finally(() => screen.show([]));
  if (form === "json") printJson(io.stdout, status);
  else writeLines(statusLines(status), io);
  return status;
}

const between = seconds(5);

/** Reports the status repeatedly until the user stops it. A terminal is redrawn; elsewhere only changes are written. */
export async function watchStatus(telling: Omit<StatusOutput, "wait">): Promise<void> {
  const { io, look } = telling;
  const tell = tellerOf(telling);
  while (!io.interrupted.aborted) {
    tell(await look());
    await pause(between, io.interrupted);
  }
  if (telling.form === "text" && new Screen(io).isLive) io.stdout.write("\n");
}

function tellerOf({
  io,
  form,
}: Pick<StatusOutput, "form" | "io">): (status: ClusterStatus) => void {
  if (form === "json") return (status) => printJson(io.stdout, status);
  const tell = lineTeller(new Screen(io), io);
  return (status) => tell(status.at, statusLines(status));
}

/** Writes lines repeatedly: a terminal is redrawn; elsewhere only changes are written, with their time. */
export const lineTeller = (screen: Screen, io: Io) =>
  screen.isLive ? drawing(screen, io) : telling(screen);

type TellLines = (at: string, lines: readonly Line[]) => void;

/** Limits the lines to the height of the terminal, because lines that have scrolled away cannot be redrawn. */
const drawing =
  (screen: Screen, io: Io): TellLines =>
  (_, shown) => {
    const lines = linesText(shown, screen.width);
    const { rows = Number.POSITIVE_INFINITY } = io.stdout;
    const room = Math.max(1, rows - 1);
    const more = lines.length - room + 1;
    screen.show(
      lines.length <= room ? lines : [...lines.slice(0, room - 1), `and ${more} more lines`],
    );
  };

function telling(screen: Screen): TellLines {
  let before: readonly Line[] = [];
  return (at, now) => {
    const changes = statusChanges(before, now);
    before = now;
    if (changes.length === 0) return;

    screen.write([at, ...linesText(changes, screen.width)]);
  };
}
