/** A part of the house: which files are in it, and what they may import. */
export interface Room {
  readonly name: string;
  readonly files: RegExp;
  /** The rooms it may import from. */
  readonly rooms: readonly string[] | "all";
  /** The packages that it may import; `node:` for those of the platform. */
  readonly packages: readonly string[] | "all";
}

const none: readonly string[] = [];
const zod = ["zod"];

/** Everything that may ship in a bundle: each package costs size, start-up time and trust. */
const shipped = [
  "@aws-sdk/client-auto-scaling",
  "@aws-sdk/client-ec2",
  "@aws-sdk/client-eks",
  "@aws-sdk/client-iam",
  "@aws-sdk/client-sqs",
  "@aws-sdk/core",
  "@kubernetes/client-node",
  "@smithy/core",
  "@smithy/signature-v4",
  "@smithy/types",
  "node:",
  "zod",
];

const inLambda = [
  "domain",
  "fault",
  "contract",
  "ports",
  "door",
  "config",
  "flows",
  "local",
  "http",
  "aws",
  "connection",
  "kubernetes",
  "eks",
  "handlers",
];

/** What every adapter may import, whatever it adapts. */
const belowAdapters = ["domain", "fault", "contract", "ports", "local"];

/** A part of the adapters, and the parts of them that it may import. */
const adapter = (name: string, files: RegExp, others: readonly string[] = []): Room => ({
  name,
  files,
  rooms: [...belowAdapters, ...others, name],
  packages: shipped,
});

/** The parts of the adapters: each may import those before it, but the first three know nothing of each other. */
const adapters: readonly Room[] = [
  adapter("local", /^lambda\/adapters\/local\//),
  adapter("http", /^lambda\/adapters\/http\//),
  adapter("aws", /^lambda\/adapters\/aws\//),
  adapter("objects", /^lambda\/adapters\/kubernetes\/objects\//),
  adapter("connection", /^lambda\/adapters\/kubernetes\/connection\//, ["http", "objects"]),
  adapter("watch", /^lambda\/adapters\/kubernetes\/watch\//, ["http", "objects", "connection"]),
  adapter("kubernetes", /^lambda\/adapters\/kubernetes\//, [
    "http",
    "objects",
    "connection",
    "watch",
  ]),
  adapter("eks", /^lambda\/adapters\/eks\//, ["http", "aws", "connection", "kubernetes"]),
  adapter("adapters", /^lambda\/adapters\//),
];

/** The rooms of the house; a file is in the first that it fits. */
export const rooms: readonly Room[] = [
  {
    name: "yaml",
    files: /^lambda\/domain\/aws-auth\/(doubts|places|reading)\.ts$/,
    rooms: ["domain", "yaml"],
    packages: ["yaml"],
  },
  { name: "domain", files: /^lambda\/domain\//, rooms: ["domain", "yaml"], packages: none },
  { name: "fault", files: /^lambda\/fault\.ts$/, rooms: none, packages: none },
  { name: "contract", files: /^lambda\/contract\.ts$/, rooms: none, packages: none },
  {
    name: "ports",
    files: /^lambda\/ports\//,
    rooms: ["domain", "fault", "ports"],
    packages: none,
  },
  {
    name: "config",
    files: /^lambda\/config\//,
    rooms: ["domain", "fault", "contract", "config"],
    packages: zod,
  },
  {
    name: "door",
    files: /^lambda\/(events|schema)\//,
    rooms: ["domain", "fault", "ports", "door"],
    packages: zod,
  },
  {
    name: "flows",
    files: /^lambda\/flows\//,
    rooms: ["domain", "fault", "ports", "flows"],
    packages: none,
  },
  ...adapters,
  {
    name: "handlers",
    files: /^lambda\/[^/]+\.ts$/,
    rooms: [...inLambda, "manifests"],
    packages: shipped,
  },
  { name: "manifests", files: /^lambda\/rights\/[a-z-]+\.yaml$/, rooms: none, packages: none },
  {
    name: "lib",
    files: /^lib\//,
    rooms: ["domain", "fault", "contract", "config", "lib"],
    packages: "all",
  },
  { name: "journal", files: /^journal\//, rooms: ["domain", "journal"], packages: zod },
  {
    name: "sandbox",
    files: /^sandbox\//,
    rooms: ["domain", "ports", "journal", "sandbox"],
    packages: "all",
  },
  {
    name: "cli",
    files: /^cli\//,
    rooms: [...inLambda, "journal", "sandbox", "bundle", "cli"],
    packages: "all",
  },
  { name: "bin", files: /^bin\//, rooms: ["lib", "cli"], packages: "all" },
  {
    name: "generate",
    files: /^generate\//,
    rooms: ["fault", "contract", "config", "lib", "generate"],
    packages: ["node:"],
  },
  { name: "bundle", files: /^bundle\//, rooms: ["contract", "bundle"], packages: "all" },
  { name: "bench", files: /^bench\//, rooms: "all", packages: "all" },
  { name: "test", files: /^test\//, rooms: "all", packages: "all" },
  { name: "settings", files: /^[^/]+\.config\.ts$/, rooms: none, packages: "all" },
  { name: "data", files: /\.json$/, rooms: none, packages: none },
];
