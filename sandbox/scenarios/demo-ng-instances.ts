/** An instance of the demo group. */
export interface DemoInstance {
  readonly id: string;
  readonly ip: string;
  readonly zone: string;
}

/** The account of the demo. */
export const account = { partition: "aws", region: "eu-west-1", id: "123456789012" };

/** The instance that Auto Scaling is about to terminate. */
export const leaving: DemoInstance = {
  id: "i-07e9ea9eb19a67337",
  ip: "192.168.18.230",
  zone: "eu-west-1a",
};

/** An instance that stays. */
export const neighbour: DemoInstance = {
  id: "i-0a4c1f92d6b83e570",
  ip: "192.168.43.17",
  zone: "eu-west-1b",
};

/** Another instance that stays. */
export const farther: DemoInstance = {
  id: "i-0f6d20b7c19e8a345",
  ip: "192.168.77.142",
  zone: "eu-west-1c",
};

/** The name of an instance's node. */
export const nodeOf = ({ ip }: DemoInstance): string =>
  `ip-${ip.replaceAll(".", "-")}.${account.region}.compute.internal`;
