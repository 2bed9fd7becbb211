/** An instance of the demo group. */
export interface DemoInstance {
  readonly id: string;
  readonly ip: string;
  readonly zone: string;
}

/** The instances of the demo group: one that leaves, and two that stay. */
export interface DemoInstances {
  readonly leaving: DemoInstance;
  readonly neighbour: DemoInstance;
  readonly farther: DemoInstance;
}

/** The instances of the demo group in a Region, of which the one with this id leaves. */
export const instancesIn = (region: string, id: string): DemoInstances => ({
  leaving: { id, ip: "192.168.18.230", zone: `${region}a` },
  neighbour: { id: "i-0a4c1f92d6b83e570", ip: "192.168.43.17", zone: `${region}b` },
  farther: { id: "i-0f6d20b7c19e8a345", ip: "192.168.77.142", zone: `${region}c` },
});

/** The name of an instance's node. */
export const nodeOf = ({ ip, zone }: DemoInstance): string =>
  `ip-${ip.replaceAll(".", "-")}.${zone.slice(0, -1)}.compute.internal`;
