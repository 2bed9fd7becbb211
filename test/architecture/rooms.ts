/** A part of the house: which files are in it, and what they may import, types included. */
export interface Room {
  readonly name: string;
  /** Folders (`a/`), the files of a folder without its subfolders (`a/*`), and single files. The longest that fits a file decides. */
  readonly places: readonly string[];
  /** The rooms it may import from besides itself; each stands above it in the list, so that no two rooms can need each other. */
  readonly rooms: readonly string[];
  /** The packages that it may import; `node:` for those of the platform. */
  readonly packages: readonly string[] | "all";
}

const none: readonly string[] = [];
const zod = ["zod"];

/** Everything that may ship in a bundle: each package costs size, start-up time and trust. */
const shipped = [
  "@aws-sdk/client-auto-scaling",
  "@aws-sdk/client-cloudwatch-logs",
  "@aws-sdk/client-ec2",
  "@aws-sdk/client-eks",
  "@aws-sdk/client-elastic-load-balancing",
  "@aws-sdk/client-elastic-load-balancing-v2",
  "@aws-sdk/client-iam",
  "@aws-sdk/client-secrets-manager",
  "@aws-sdk/client-sqs",
  "@aws-sdk/client-ssm",
  "@aws-sdk/core",
  "@kubernetes/client-node",
  "@smithy/core",
  "@smithy/signature-v4",
  "@smithy/types",
  "node:",
  "zod",
];

type Places = Readonly<Record<string, readonly string[]>>;

/** Rooms in floors: each room may import all floors below it, but no other room on its floor. */
function storeys(base: readonly string[], packages: readonly string[], floors: readonly Places[]) {
  return floors.flatMap((floor, index): readonly Room[] => {
    const below = [...base, ...floors.slice(0, index).flatMap((lower) => Object.keys(lower))];
    return Object.entries(floor).map(([name, places]) => ({
      name,
      places,
      rooms: below,
      packages,
    }));
  });
}

const basics = ["time", "ids", "labels", "legible", "counted", "parts", "try-json"].map(
  (name) => `lambda/domain/${name}.ts`,
);
const pure = storeys(none, none, [
  { basics },
  { node: ["lambda/domain/node/"] },
  { pod: ["lambda/domain/pod/"] },
  { drain: ["lambda/domain/drain/"] },
  {
    notice: ["lambda/domain/notice/"],
    balancer: ["lambda/domain/balancer/"],
    placement: ["lambda/domain/placement/"],
    "making-room": ["lambda/domain/making-room/"],
  },
  { launch: ["lambda/domain/launch/"] },
  {
    "aws-auth": ["lambda/domain/aws-auth/"],
    rights: ["lambda/domain/rights/"],
    upgrade: ["lambda/domain/upgrade/"],
  },
  { repair: ["lambda/domain/repair/"] },
  { entry: ["lambda/domain/entry.ts"] },
  { report: ["lambda/domain/report/"] },
  { news: ["lambda/domain/news/"] },
]);
const domain = pure.map(({ name }) => name);

/** Predictions stand on the judgement of drains. The function has no use for them, so no room of it may import them. */
const forecast: Room = {
  name: "forecast",
  places: ["lambda/domain/forecast/"],
  rooms: ["basics", "node", "pod", "drain", "notice", "balancer", "placement"],
  packages: none,
};

const adapters = storeys([...domain, "fault", "contract", "ports"], shipped, [
  { local: ["lambda/adapters/local/"] },
  {
    http: ["lambda/adapters/http/"],
    aws: ["lambda/adapters/aws/"],
    objects: ["lambda/adapters/kubernetes/objects/"],
  },
  { connection: ["lambda/adapters/kubernetes/connection/"] },
  { watch: ["lambda/adapters/kubernetes/watch/"] },
  { kubernetes: ["lambda/adapters/kubernetes/*"] },
  { eks: ["lambda/adapters/eks/"] },
]);

const belowFlows = [...domain, "fault", "ports"];
const flow = (subject: string, rooms: readonly string[]): Room => ({
  name: `flows/${subject}`,
  places: [`lambda/flows/${subject}/`],
  rooms: [...belowFlows, "flows", ...rooms],
  packages: none,
});
const held = ["flows/mark", "flows/hook"];
const allFlows = [
  ...held,
  "flows/making-room",
  "flows/drain",
  "flows/interruption",
  "flows/launch",
  "flows/report",
];

const everyAdapter = adapters.map(({ name }) => name);
const product = [
  ...belowFlows,
  "contract",
  "schema",
  "events",
  "config",
  "flows",
  ...allFlows,
  "flows/rights",
  "flows/news",
  "flows/upgrade",
  "flows/repair",
  "flows/queue",
  "work-on-notice",
  ...everyAdapter,
];

/** The rooms of the house, from the ground up. */
export const rooms: readonly Room[] = [
  { name: "data", places: ["package.json"], rooms: none, packages: none },
  { name: "fault", places: ["lambda/fault.ts"], rooms: none, packages: none },
  { name: "contract", places: ["lambda/contract.ts"], rooms: none, packages: none },
  { name: "manifests", places: ["lambda/rights/"], rooms: none, packages: none },
  ...pure,
  forecast,
  { name: "ports", places: ["lambda/ports/"], rooms: [...domain, "fault"], packages: none },
  { name: "schema", places: ["lambda/schema/"], rooms: [...domain, "fault"], packages: none },
  {
    name: "events",
    places: ["lambda/events/"],
    rooms: [...domain, "fault", "ports", "schema"],
    packages: none,
  },
  {
    name: "config",
    places: ["lambda/config/"],
    rooms: [...domain, "fault", "contract", "schema"],
    packages: none,
  },
  // The files in the folder itself are for all flows.
  { name: "flows", places: ["lambda/flows/*"], rooms: belowFlows, packages: none },
  flow("mark", none),
  flow("hook", ["flows/mark"]),
  flow("making-room", none),
  flow("drain", [...held, "flows/making-room"]),
  flow("interruption", [...held, "flows/drain"]),
  flow("launch", held),
  flow("report", none),
  flow("rights", none),
  flow("news", none),
  flow("queue", none),
  flow("upgrade", [...held, "flows/drain", "flows/queue", "flows/report"]),
  flow("repair", [...held, "flows/drain", "flows/queue", "flows/report"]),
  // The one file that knows the flow of every notice.
  {
    name: "work-on-notice",
    places: ["lambda/flows/queue/work-on-notice.ts"],
    rooms: [...belowFlows, "flows", ...allFlows, "flows/queue"],
    packages: none,
  },
  ...adapters,
  { name: "handlers", places: ["lambda/*"], rooms: [...product, "manifests"], packages: shipped },
  // A page names the hashes of its own style and script.
  { name: "journal", places: ["journal/"], rooms: domain, packages: [...zod, "node:"] },
  // The command line and the files of clusters ask "did you mean" in the same way.
  { name: "nearest", places: ["lib/nearest.ts"], rooms: none, packages: none },
  // Commands find a cluster's stack by the name that the app gives it.
  { name: "stack-name", places: ["lib/stack-name.ts"], rooms: none, packages: ["node:"] },
  // The deployment grants what a function's role may do, and a command asks IAM for the same.
  {
    name: "permissions",
    places: [
      "lib/function/function-permissions.ts",
      "lib/function/permission-grant.ts",
      "lib/function/queue-permissions.ts",
      "lib/repairs/repair-permissions.ts",
    ],
    rooms: ["contract", "repair"],
    packages: none,
  },
  // The app and the command line read the files of clusters alike; only the app needs CDK.
  {
    name: "cluster-file",
    places: [
      "lib/cluster-file/",
      "lib/limits/assert-access.ts",
      "lib/limits/assert-template.ts",
      "lib/partition-of.ts",
      "lib/refusal.ts",
    ],
    rooms: [...domain, "contract", "config", "nearest"],
    packages: [...zod, "yaml", "node:"],
  },
  {
    name: "lib",
    places: [
      "lib/",
      "lib/cluster-file/cluster-file.ts",
      "lib/cluster-file/options-in.ts",
      "lib/cluster-file/stack-id.ts",
    ],
    rooms: [
      ...[...domain, "fault", "contract", "config", "nearest", "permissions", "stack-name"],
      "cluster-file",
    ],
    packages: "all",
  },
  {
    name: "sandbox",
    places: ["sandbox/"],
    rooms: [...domain, "ports", "journal"],
    packages: "all",
  },
  { name: "bundle", places: ["bundle/"], rooms: ["contract"], packages: "all" },
  {
    name: "cli",
    places: ["cli/"],
    rooms: [
      ...[...product, "forecast", "journal", "sandbox", "bundle"],
      ...["cluster-file", "nearest", "permissions", "stack-name"],
    ],
    packages: "all",
  },
  {
    name: "bin",
    places: ["bin/"],
    rooms: ["lib", "cluster-file", "stack-name", "cli"],
    packages: "all",
  },
  {
    name: "generate",
    places: ["generate/"],
    rooms: [...domain, "fault", "contract", "config", "cluster-file", "lib", "bundle", "cli"],
    packages: "all",
  },
];

const wholeHouse = rooms.map(({ name }) => name);

/** The rooms outside the house: they may import all of it, but it must not import them. */
export const outbuildings: readonly Room[] = [
  { name: "settings", places: ["vitest.config.ts"], rooms: none, packages: "all" },
  { name: "test", places: ["test/"], rooms: wholeHouse, packages: "all" },
  { name: "bench", places: ["bench/"], rooms: [...wholeHouse, "test"], packages: "all" },
];
