import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { environment } from "../../../lambda/base/contract.ts";
import { projectRoot } from "../../bundle/project-root.ts";
import { medians } from "./figures.ts";

/** The file that Lambda loads. */
export const handler = join(projectRoot, "dist/node/index.cjs");

const program = `
  const [began, used] = [performance.now(), process.cpuUsage()];
  require(${JSON.stringify(handler)});
  const { user, system } = process.cpuUsage(used);
  const figures = { ms: performance.now() - began, cpu: (user + system) / 1000, mb: process.memoryUsage.rss() / 1e6 };
  process.stdout.write(JSON.stringify(figures), () => process.exit());
`;

const queue = "https://sqs.eu-west-1.amazonaws.com/123456789012/notices";
/** An environment in which the function starts, and reaches nobody. */
export const environmentForImport = {
  AWS_REGION: "eu-west-1",
  AWS_ENDPOINT_URL: "http://127.0.0.1:9",
  [environment.clusterName]: "demo",
  [environment.managedGroups]: '["workers"]',
  [environment.queueUrl]: queue,
  [environment.deadLetterQueueUrl]: queue,
};

type ImportFigures = Readonly<Record<"cpu" | "mb" | "ms", number>>;

/** Measures the cost of loading the function: medians of some new processes. */
export function importFigures(trials: number) {
  const measured: ImportFigures[] = Array.from({ length: trials }, () =>
    Object(
      JSON.parse(
        execFileSync(process.execPath, ["-e", program], {
          env: environmentForImport,
          encoding: "utf8",
        }),
      ),
    ),
  );
  return { files: readdirSync(join(handler, "..")).length, ...medians(measured) };
}
