import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** A group of processes that together get a share of one core. */
export interface CpuShare {
  add(pid: number): void;
  /** Removes the group when its processes have ended. */
  remove(): Promise<void>;
}

const period = 20_000; // µs, as Lambda has it
const version1 = "/sys/fs/cgroup/cpu";
const version2 = "/sys/fs/cgroup";

/** Does some work with a group for this share of a core, or without one. */
export async function within<T>(
  share: number | "all",
  work: (group?: CpuShare) => Promise<T>,
): Promise<T> {
  if (share === "all") return work();
  const group = cpuShare(share);
  try {
    return await work(group);
  } finally {
    await group.remove();
  }
}

/** Makes a cgroup with such a share, of either version. It takes root. */
function cpuShare(share: number): CpuShare {
  const isFirst = existsSync(`${version1}/cpu.cfs_quota_us`);
  const folder = `${isFirst ? version1 : version2}/eks-node-lifecycle-bench-${process.pid}`;
  mkdirSync(folder);
  const quota = Math.round(share * period);
  if (isFirst) {
    writeFileSync(`${folder}/cpu.cfs_period_us`, String(period));
    writeFileSync(`${folder}/cpu.cfs_quota_us`, String(quota));
  } else writeFileSync(`${folder}/cpu.max`, `${quota} ${period}`);
  return {
    add: (pid) => writeFileSync(`${folder}/cgroup.procs`, String(pid)),
    async remove() {
      while (readFileSync(`${folder}/cgroup.procs`, "utf8") !== "") await setTimeout(20);
      rmdirSync(folder);
    },
  };
}
