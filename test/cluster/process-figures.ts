import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** What the processes of the function have used since the last reset. */
export interface Figures {
  /** What they have read from sockets and files, in MB. */
  readonly read: number;
  /** The most memory that one of them had, in MB. */
  readonly memory: number;
  /** The time that they had the processor, in seconds. */
  readonly cpu: number;
}

interface Seen {
  readonly read: number;
  readonly memory: number;
  readonly cpu: number;
}

const ticksPerSecond = 100;

/** Measures the function's processes, which are children of this one, on Linux. */
export class ProcessFigures {
  readonly #before = new Map<string, Seen>();
  readonly #seen = new Map<string, Seen>();
  readonly #timer = setInterval(() => this.#look(), 50);

  /** Forgets what was used until now. */
  reset(): void {
    this.#look();
    this.#before.clear();
    for (const [pid, seen] of this.#seen) this.#before.set(pid, seen);
    this.#seen.clear();
    for (const pid of processes()) writeFileSync(`/proc/${pid}/clear_refs`, "5");
  }

  figures(): Figures {
    this.#look();
    const all = [...this.#seen].map(([pid, { read, memory, cpu }]) => {
      const before = this.#before.get(pid);
      return { memory, read: read - (before?.read ?? 0), cpu: cpu - (before?.cpu ?? 0) };
    });
    return {
      read: all.reduce((sum, { read }) => sum + read, 0),
      memory: Math.max(...all.map(({ memory }) => memory)),
      cpu: all.reduce((sum, { cpu }) => sum + cpu, 0),
    };
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** A process may end at any moment; then what was seen last counts. */
  #look(): void {
    for (const pid of processes())
      try {
        this.#seen.set(pid, seenOf(pid));
      } catch {
        // It has ended since.
      }
  }
}

const processes = (): readonly string[] =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isOurs(name));

function isOurs(pid: string): boolean {
  try {
    const [, , parent] = statOf(pid);
    const isChild = Number(parent) === process.pid;
    return isChild && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("runtime-client");
  } catch {
    return false;
  }
}

/** The fields of a process's stat from its state on: the name before may have spaces in it. */
const statOf = (pid: string): readonly string[] => {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  return ["", ...text.slice(text.lastIndexOf(")") + 2).split(" ")];
};

const numberIn = (path: string, form: RegExp): number =>
  Number(form.exec(readFileSync(path, "utf8"))?.[1] ?? Number.NaN);

function seenOf(pid: string): Seen {
  const stat = statOf(pid);
  return {
    read: numberIn(`/proc/${pid}/io`, /^rchar: (\d+)/m) / 1e6,
    memory: numberIn(`/proc/${pid}/status`, /^VmHWM:\s+(\d+)/m) / 1000,
    cpu: (Number(stat[12]) + Number(stat[13])) / ticksPerSecond,
  };
}
