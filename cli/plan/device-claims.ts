import { podTitle } from "../../lambda/drain/pod.ts";
import { isOfDaemonSet } from "../../lambda/drain/pod-class.ts";
import type { NodeDemand, NodeTerm } from "../../lambda/drain/reschedulable-pod.ts";
import type { DeviceClaim, ForecastPod } from "../../lambda/forecast/forecast-pod.ts";

/** A ResourceClaim, as far as it decides where the replacement of its pod may go. */
export interface ResourceClaim {
  readonly name: string;
  readonly state: "allocated" | "free";
  /** The drivers of its devices. */
  readonly drivers: readonly string[];
  /** `some` if it would take devices of other kinds too. */
  readonly choice: "none" | "some";
  /** The demands of its devices on the node. */
  readonly demands: readonly NodeDemand[];
  /** The UIDs of the pods that use it. */
  readonly consumers: readonly string[];
}

/** The nodes that reach the devices of a ResourceSlice. */
export interface DeviceNodes {
  readonly driver: string;
  readonly on: "every node" | "unknown" | readonly NodeTerm[];
}

/** The claims by `namespace/name`, and the nodes with devices by drivers. */
export type Devices =
  | {
      readonly kind: "read";
      readonly claims: ReadonlyMap<string, ResourceClaim>;
      /** Why not all claims of a namespace were read: anybody in it may have made them many. */
      readonly cut: ReadonlyMap<string, string>;
      readonly nodes: ReadonlyMap<string, DeviceNodes["on"]>;
    }
  | { readonly kind: "unread"; readonly why: string };

/** The nodes that reach a device of each driver, each once: a kubelet may make any number of slices of its own node. */
export function nodesByDriver(
  slices: readonly DeviceNodes[],
): ReadonlyMap<string, DeviceNodes["on"]> {
  const groups = Map.groupBy(slices, ({ driver }) => driver);
  return new Map(Array.from(groups, ([driver, all]) => [driver, joined(all)]));
}

function joined(slices: readonly DeviceNodes[]): DeviceNodes["on"] {
  const all = slices.map(({ on }) => on);
  const words = (["every node", "unknown"] as const).find((word) => all.includes(word));
  if (words !== undefined) return words;
  const terms = all.flatMap((on) => (typeof on === "string" ? [] : on));
  return [...new Map(terms.map((term) => [JSON.stringify(term), term])).values()];
}

/** The demands of a pod's devices on the node of its replacement, and the reasons why some are unknown. */
interface DevicePlace {
  readonly demands: readonly NodeDemand[];
  readonly doubts: readonly string[];
}

/** The UIDs of those pods of a node that leave it. */
export const leaversAmong = (onNode: readonly ForecastPod[]): ReadonlySet<string> =>
  new Set(onNode.filter(leaves).map(({ pod }) => pod.uid));

/** Adds to a pod the demands of its devices, and gives the reasons why some are unknown; empty if all are known. */
export function withDevices(
  forecastPod: ForecastPod,
  leaving: ReadonlySet<string>,
  devices: Devices,
): { readonly forecastPod: ForecastPod; readonly doubt: string } {
  const { deviceClaims, pod } = forecastPod;
  const places = deviceClaims.map((claim) =>
    placeOf(claim, { namespace: pod.namespace, leaving, devices }),
  );
  const demands = places.flatMap((place) => place.demands);
  const doubts = [...new Set(places.flatMap((place) => place.doubts))];
  return {
    forecastPod: { ...forecastPod, demands: [...forecastPod.demands, ...demands] },
    doubt: doubts.length === 0 ? "" : `${podTitle(pod)} (${doubts.join("; ")})`,
  };
}

const noOrphans: ReadonlySet<string> = new Set();

const leaves = ({ pod }: ForecastPod): boolean =>
  !pod.mirror && !isOfDaemonSet(pod, { orphaned: noOrphans });

const doubted = (why: string): DevicePlace => ({ demands: [], doubts: [why] });

/** The demands of a claim on the next node. If pods that stay also use it, it keeps its devices, and so its node. */
function placeOf(
  { kind, name }: DeviceClaim,
  {
    namespace,
    leaving,
    devices,
  }: {
    readonly namespace: string;
    /** The UIDs of the pods that leave the node. */
    readonly leaving: ReadonlySet<string>;
    readonly devices: Devices;
  },
): DevicePlace {
  if (devices.kind === "unread") return doubted(devices.why);
  if (kind === "extended-resource") return doubted("an extended resource has its devices");
  const claim = devices.claims.get(`${namespace}/${name}`);
  const cut = devices.cut.get(namespace);
  if (claim === undefined && cut !== undefined)
    return doubted(`not all resource claims of namespace ${namespace} were read: ${cut}`);
  if (claim === undefined || claim.state === "free")
    return doubted(`resource claim ${name} is not allocated`);
  if (claim.consumers.some((uid) => !leaving.has(uid)))
    return { demands: claim.demands, doubts: [] };
  if (claim.choice === "some")
    return doubted(`resource claim ${name} takes devices of several kinds`);
  const places = claim.drivers.map((driver) => placeOfDriver(driver, devices.nodes.get(driver)));
  return {
    demands: places.flatMap((place) => place.demands),
    doubts: places.flatMap((place) => place.doubts),
  };
}

/** The demands of a driver. One without a slice has no device on any node. */
function placeOfDriver(driver: string, on: DeviceNodes["on"] = []): DevicePlace {
  if (on === "every node") return { demands: [], doubts: [] };
  if (on === "unknown") return doubted(`driver ${driver} says of each device where it is`);
  return { demands: [{ from: `no device of ${driver}`, anyOf: on }], doubts: [] };
}

/** Names the pods for which it is unknown whether another node has their devices. */
export const doubtRemarks = (doubts: readonly string[]): readonly string[] =>
  doubts.length === 0
    ? []
    : [
        `the forecast leaves out devices where it is unknown which nodes have them: ${doubts.join(", ")}`,
      ];
