import { onTestFinished } from "vitest";
import { Aws } from "../../sandbox/aws/aws.ts";
import { startAwsServer } from "../../sandbox/servers/aws-server.ts";
import { deployTemplate, type Synthesised } from "../../sandbox/stack/deploy-template.ts";
import { WallTimeline } from "../../sandbox/timeline.ts";

const account = { partition: "aws", region: "eu-west-1", id: "123456789012" };

/** A stack in an account of its own until the test ends, and the lines that its functions have written. */
export async function deployedAlone(synthesised: Synthesised) {
  const timeline = new WallTimeline();
  const aws = new Aws(timeline, account);
  const addresses = await startAwsServer(aws);
  const lines: string[] = [];
  const log = ({ text }: { readonly text: string }) => lines.push(text);
  const deployment = deployTemplate(synthesised, { aws, addresses, log });
  deployment.start();
  onTestFinished(async () => {
    await deployment.stop();
    await addresses.close();
    timeline.stop();
  });
  return { aws, deployment, lines };
}
