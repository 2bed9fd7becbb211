import { execFileSync } from "node:child_process";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { esbuildOptions } from "../../tools/bundle/build-functions.ts";
import { projectRoot } from "../../tools/bundle/project-root.ts";

const awsError = (code: string) =>
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>no: ${code}</Message></Error></ErrorResponse>`;
interface Call {
  readonly from: string;
  readonly operation: string;
  readonly input?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

const errors: readonly Call[] = [
  ...["ResourceContention", "ValidationError", "Throttling"].map((code) => ({
    from: "AutoScaling",
    operation: "DescribeAutoScalingGroups",
    body: awsError(code),
  })),
  ...["ResourceNotFoundException", "ThrottlingException", "AccessDeniedException"].map((name) => ({
    from: "EKS",
    operation: "DescribeCluster",
    input: { name: "demo" },
    headers: { "content-type": "application/json", "x-amzn-errortype": name },
    body: JSON.stringify({ message: `no: ${name}` }),
  })),
  {
    from: "SSM",
    operation: "GetParameter",
    input: { Name: "p" },
    headers: { "content-type": "application/x-amz-json-1.1" },
    body: JSON.stringify({ __type: "ParameterNotFound" }),
  },
];

const program = `
import { AutoScalingClient, DescribeAutoScalingGroupsCommand } from "@aws-sdk/client-auto-scaling";
import { DescribeClusterCommand, EKSClient } from "@aws-sdk/client-eks";
import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
const clients = { AutoScaling: AutoScalingClient, EKS: EKSClient, SSM: SSMClient };
const commands = {
  DescribeAutoScalingGroups: DescribeAutoScalingGroupsCommand,
  DescribeCluster: DescribeClusterCommand,
  GetParameter: GetParameterCommand,
};
const credentials = { accessKeyId: "a", secretAccessKey: "b" };
async function thrown({ from, operation, input = {}, headers = {}, body }) {
  const handle = async () => ({ response: { statusCode: 400, headers, body: Buffer.from(body) } });
  const options = { region: "eu-west-1", credentials, maxAttempts: 1, requestHandler: { handle } };
  const client = new clients[from](options);
  return client.send(new commands[operation](input))
    .catch(({ name, message, $metadata: { httpStatusCode } }) => ({ name, message, httpStatusCode }));
}
Promise.all(CALLS.map(thrown)).then((found) => process.stdout.write(JSON.stringify(found)));
`;

type Plugins = ReturnType<typeof esbuildOptions>["plugins"];

/** What the clients make of the errors, in a process of their own. */
async function readBy(plugins: Plugins): Promise<unknown[]> {
  const { outputFiles = [] } = await build({
    ...esbuildOptions(projectRoot),
    plugins,
    stdin: { contents: program, resolveDir: projectRoot },
    define: { CALLS: JSON.stringify(errors) },
    format: "cjs",
    metafile: true,
    write: false,
  });
  const input = outputFiles[0]?.text ?? "";
  const found: unknown = JSON.parse(
    execFileSync(process.execPath, ["-"], { input, encoding: "utf8" }),
  );
  return Array.isArray(found) ? found : [];
}

it("the bundled clients of AWS throw errors of the same names and messages as the whole clients", async () => {
  const { plugins } = esbuildOptions(projectRoot);
  const bundled = await readBy(plugins);

  expect(bundled).toHaveLength(errors.length);
  expect(bundled).toEqual(await readBy(plugins.filter(({ name }) => name !== "aws-schemas")));
});
