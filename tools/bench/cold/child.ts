import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { CpuShare } from "./cpu-share.ts";

/** A process that this one has started. */
export interface Child {
  /** When it began, by `performance.now()` of this process, to a hundredth of a second. */
  readonly began: number;
  /** Its CPU time in milliseconds and the most memory that it had in MB; `undefined` after its end. */
  used(): { readonly cpu: number; readonly mb: number } | undefined;
}

const ticks = 10; // ms, on Linux

/** Waits until this process has started another process of Node; gives it a share of a core if there is one. */
export async function newChild(share?: CpuShare): Promise<Child> {
  for (;;) {
    const pid = children().find((one) =>
      read(`/proc/${one}/cmdline`)?.startsWith(process.execPath),
    );
    if (pid !== undefined) {
      share?.add(pid);
      return childOf(pid);
    }
    await setTimeout(1);
  }
}

const children = (): readonly number[] =>
  readdirSync("/proc/self/task").flatMap((task) =>
    (read(`/proc/self/task/${task}/children`) ?? "").split(" ").filter(Boolean).map(Number),
  );

function childOf(pid: number): Child {
  const uptime = Number(read("/proc/uptime")?.split(" ")[0]) * 1000;
  const age = uptime - Number(statOf(pid)[19]) * ticks;
  return {
    began: performance.now() - age,
    used() {
      const [, , , , , , , , , , , user, system] = statOf(pid);
      const status = read(`/proc/${pid}/status`);
      const peak = /^VmHWM:\s+(\d+)/m.exec(status ?? "")?.[1];
      return peak === undefined
        ? undefined
        : { cpu: (Number(user) + Number(system)) * ticks, mb: Number(peak) / 1000 };
    },
  };
}

/** The fields of a process's stat from its state on: the name before may have spaces in it. */
const statOf = (pid: number): readonly string[] =>
  (read(`/proc/${pid}/stat`) ?? "").replace(/^.*\) /, "").split(" ");

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // the process has ended
  }
}
