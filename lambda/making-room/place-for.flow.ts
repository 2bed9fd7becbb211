import { tryObstacle } from "../drain/obstacle.ts";
import { type Resources, shortOf } from "../drain/resources.ts";
import type { Room } from "../drain/seeker.ts";
import { type Host, roomOn } from "../drain/tenancy.ts";
import type { Workloads } from "../registrations/kubernetes.port.ts";
import type { NoPlace } from "./room-refusal.ts";
import type { Replica, RoomSite } from "./workload.ts";

// A node costs a list of its pods. Where so many are full, the scheduler has to say.
const mostLookedAt = 100;
const lookedAtOnce = 10;

type Site = Pick<RoomSite, "draining" | "replicas">;

/**
 * How many of some pods more find a node, each like this one; or why none does. Whoever has no place by these rules has none by
 * the scheduler's.
 */
export async function placesFor(
  model: Replica,
  site: Site,
  {
    wanted,
    workloads,
  }: { readonly wanted: number; readonly workloads: Pick<Workloads, "askedOn" | "hosts"> },
): Promise<NoPlace | number> {
  const hosts = await workloads.hosts();
  const { open, reasons } = openTo(model, hosts, site);
  const looked: Room[] = [];
  const found = () => looked.reduce((sum, { free }) => sum + timesIn(free, model), 0);
  while (looked.length < Math.min(open.length, mostLookedAt) && found() < wanted) {
    const some = open.slice(looked.length, looked.length + lookedAtOnce);
    const asked = some.map(async (host) => ({
      ...host,
      asked: await workloads.askedOn(host.node.name),
    }));
    looked.push(...(await Promise.all(asked)).map(roomOn));
  }
  if (found() > 0) return Math.min(wanted, found());
  return open.length > mostLookedAt
    ? wanted
    : { kind: "no-place", reasons, ...bestOf(looked, model) };
}

/** The nodes that take such a pod if they have enough free, and how many nodes each reason rules out. */
function openTo(model: Replica, hosts: readonly Host[], { replicas, draining }: Site) {
  const labels = new Map(hosts.map(({ node }) => [node.name, node.labels]));
  const isTaken = ({ node }: Host, label: string): boolean =>
    label in node.labels &&
    replicas.some(({ pod }) => labels.get(pod.node)?.[label] === node.labels[label]);
  const staying = hosts.filter(({ node }) => !draining.has(node.name));
  const obstacles = staying.map(
    (host) =>
      model.apart.find(({ label }) => isTaken(host, label))?.from ?? tryObstacle(model, host.node),
  );
  const goes = Array.from({ length: hosts.length - staying.length }, () => "being drained");
  const met = [...obstacles, ...goes].flatMap((obstacle) => obstacle ?? []);
  const groups = Map.groupBy(met, (obstacle) => obstacle);
  const reasons = new Map(Array.from(groups, ([reason, all]) => [reason, all.length]));
  return { open: staying.filter((_, index) => obstacles[index] === undefined), reasons };
}

/** How many such pods a node has enough free for; one alone where they stay apart. */
function timesIn(free: Resources, { requests, apart }: Replica): number {
  const times = shares(free, requests).map(Math.floor);
  return Math.min(...times, ...(apart.length > 0 ? [1] : []));
}

const shares = (free: Resources, requests: Resources): readonly number[] =>
  Object.entries(requests).flatMap(([name, amount]) =>
    amount > 0 ? [(free[name] ?? 0) / amount] : [],
  );

/** The node that lacks the least, and what it lacks. */
function bestOf(looked: readonly Room[], { requests }: Replica): Pick<NoPlace, "best" | "short"> {
  const worst = ({ free }: Room) => Math.min(...shares(free, requests));
  const [best] = looked.toSorted((a, b) => worst(b) - worst(a));
  if (best === undefined) return { best: "", short: [] };
  const short = shortOf(requests, best.free).map((resource) => ({
    resource,
    free: best.free[resource] ?? 0,
    asked: requests[resource] ?? 0,
  }));
  return { best: best.node.name, short };
}
