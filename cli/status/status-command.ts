import { Command, Option } from "commander";
import { systemClock } from "../../lambda/adapters/local/system-clock.ts";
import { nodeName } from "../../lambda/domain/ids.ts";
import { awsAt } from "../connect/aws-access.ts";
import { atCluster } from "../connect/cluster-access.ts";
import { addConnectionOptions, type ConnectionOptions } from "../connect/connection-options.ts";
import { deploymentAt } from "../connect/deployment-at.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import type { Status } from "../json/status-schema.ts";
import { writePage } from "../timeline/write-page.ts";
import { look, type Sight } from "./look.ts";
import { statusActions, statusRights } from "./status-actions.ts";
import { statusPage } from "./status-page.ts";
import { tellStatus, watchStatus } from "./watch-status.ts";

const examples = `
The command reads Auto Scaling, the cluster and the queue, so it works when the function is broken. What it cannot read it
names, with what to allow. The construct's grantStatus allows what it needs in AWS:
${statusActions.map((action) => `  ${action}`).join("\n")}

In the cluster it needs:
${statusRights.map(({ verbs, resources }) => `  ${verbs.join()} ${resources.join(", ")}`).join("\n")}

Examples:
  npx eks-node-lifecycle status demo
  npx eks-node-lifecycle status demo --watch
  npx eks-node-lifecycle status demo --group workers --json
  npx eks-node-lifecycle status demo --kubeconfig ~/.kube/config --context demo --region eu-west-1

Exit codes:
  0  told, also where something is held
  1  something broke; Auto Scaling or the nodes of the cluster could not be read; or there is no such node or group
  2  wrong usage`;

interface StatusOptions extends ConnectionOptions {
  readonly watch?: boolean;
  readonly html?: string;
  readonly node?: string;
  readonly group?: string;
}

/** The command that tells what a deployment holds, and why. */
export const statusCommand = (io: Io, ended: (code: ExitCode) => void): Command =>
  addConnectionOptions(
    new Command("status")
      .description("tell which instances are held, what they wait for, and how long still")
      .argument("<cluster>", "the name of the EKS cluster")
      .option("--watch", "tell it again and again, until Ctrl-C")
      .addOption(
        new Option(
          "--html <file>",
          "also write what is held into a file that a browser shows",
        ).conflicts("watch"),
      )
      .option("--node <name>", "tell of this node only")
      .option("--group <name>", "tell of the instances of this Auto Scaling group only"),
  )
    .addHelpText("after", examples)
    .action(async (name: string, options: StatusOptions) => {
      ended(await told(name, options, io));
    });

async function told(name: string, options: StatusOptions, io: Io): Promise<ExitCode> {
  const aws = awsAt(options);
  return atCluster(name, options, async (access) => {
    const parts = await deploymentAt(name, aws, options);
    const node = options.node === undefined ? "all" : nodeName(options.node);
    const { group = "all" } = options;
    const sight = { name, access, aws, parts, isWanted: wantedBy(options), node, group } as const;
    const form = options.json === true ? "json" : "text";
    const telling = { io, form, look: () => look(sight, systemClock.now()) } as const;
    if (options.watch === true) {
      await watchStatus(telling);
      return exitCodes.done;
    }
    const status = await tellStatus(telling);
    if (options.html !== undefined) writePage(options.html, statusPage(status), io);
    return codeOf(status);
  });
}

/** Without these sources nobody knows what is held and why; the last are names that the user gave. */
const needed = /^(?:Auto Scaling|nodes|group .*|node .*)$/;

const codeOf = ({ gaps }: Status): ExitCode =>
  gaps.some(({ source }) => needed.test(source)) ? exitCodes.fault : exitCodes.done;

const wantedBy =
  ({ node, group }: StatusOptions): Sight["isWanted"] =>
  (place) =>
    (node === undefined || node === place.node) && (group === undefined || group === place.group);
