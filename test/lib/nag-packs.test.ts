import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Validations } from "aws-cdk-lib";
import {
  AwsSolutionsChecks,
  HIPAASecurityChecks,
  NIST80053R5Checks,
  PCIDSS321Checks,
  ServerlessChecks,
} from "cdk-nag";
import { describe, expect, it } from "vitest";
import { NodeLifecycleStack, type StackConfig } from "../../lib/node-lifecycle-stack.ts";
import { sample } from "./synthesised.ts";

interface Explanation {
  /** The end of the rules' names. */
  readonly finding: string;
  readonly on: RegExp;
  readonly because: string;
}

const explanations: readonly Explanation[] = [
  {
    finding: "CloudWatchLogGroupEncrypted",
    on: /Logs\/Resource$/,
    because:
      "CloudWatch encrypts every log group; a key of the customer costs $1 a month each, and a log has names of pods and no secret",
  },
  {
    finding: "IAMNoInlinePolicy",
    on: /Policy\/Resource$|NetworkFence\/Resource$/,
    because: "each policy is for one role alone and goes with it; nobody can attach it elsewhere",
  },
  {
    finding: "LambdaConcurrency",
    on: /Access\/|Asked\//,
    because: "CloudFormation invokes them once in a deployment",
  },
  {
    finding: "LambdaDLQ",
    on: /Function\/Resource$|Deployer\/Resource$|framework-onEvent\/Resource$/,
    because:
      "nobody invokes it asynchronously: the queue of the function has dead letters of its own, and CloudFormation hears how the deployer ended",
  },
  {
    finding: "LambdaInsideVPC",
    on: /framework-onEvent\/Resource$|Asked\/Function\/Resource$/,
    because:
      "they answer CloudFormation through S3, which a private VPC may not reach, and call Auto Scaling alone",
  },
  {
    finding: "LambdaDefaultMemorySize",
    on: /framework-onEvent\/Resource$/,
    because: "CDK's provider has no such option, and only hands a request on",
  },
  {
    finding: "LambdaTracing",
    on: /Access\/|Asked\//,
    because: "it runs once in a deployment, which tells how it ended",
  },
  {
    finding: "LambdaEventSourceMappingDestination",
    on: /Mapping\/Resource$/,
    because: "Lambda has such destinations for streams; a queue has dead letters",
  },
  {
    finding: "SQSRedrivePolicy",
    on: /DeadLetters\/Resource$/,
    because: "these are the dead letters",
  },
];

/** The options that these packs want, and that are off by default because they cost something or need a name. */
const strict: Partial<StackConfig> = {
  function: { ...sample.function, reservedConcurrency: 10, tracing: "on" },
  alarms: { ...sample.alarms, topicArns: ["arn:aws:sns:eu-west-1:123456789012:pagers"] },
  hooksMadeAs: "asked", // as in the template for any cluster
};

interface Report {
  readonly pluginReports: readonly {
    readonly violations: readonly {
      readonly ruleName: string;
      readonly violatingConstructs: readonly { readonly constructPath: string }[];
    }[];
  }[];
}

/** What all packs find in the stack, a rule and a construct each. */
function findingsIn(change: Partial<StackConfig>) {
  const outdir = mkdtempSync(join(tmpdir(), "nag-"));
  try {
    const app = new App({ outdir });
    for (const Pack of [HIPAASecurityChecks, NIST80053R5Checks, PCIDSS321Checks, ServerlessChecks])
      Validations.of(app).addPlugins(new Pack(app));
    new NodeLifecycleStack(app, "Sample", { ...sample, ...change });
    expect(() => app.synth()).toThrow("Acknowledge with");
    const report = JSON.parse(
      readFileSync(join(outdir, "validation-report.json"), "utf8"),
    ) as Report;
    return report.pluginReports.flatMap(({ violations }) =>
      violations.flatMap(({ ruleName: rule, violatingConstructs }) =>
        violatingConstructs.map(({ constructPath: construct }) => ({ rule, construct })),
      ),
    );
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

type Finding = ReturnType<typeof findingsIn>[number];

const explains = ({ finding, on }: Explanation, { rule, construct }: Finding) =>
  rule.endsWith(`-${finding}`) && on.test(construct);

describe("the packs of cdk-nag for HIPAA, NIST 800-53, PCI DSS and serverless applications", () => {
  const findings = findingsIn(strict);

  it("find nothing unexplained where the options that they want are set", () => {
    expect(findings.length).toBeGreaterThan(20);
    expect(findings.filter((one) => !explanations.some((why) => explains(why, one)))).toEqual([]);
  });

  it.each(explanations)("find what is explained: $finding, $because", (why) => {
    expect(findings.filter((one) => explains(why, one))).not.toEqual([]);
  });

  it("want three options that are off by default, and nothing else", () => {
    const known = new Set(findings.map(({ rule, construct }) => `${rule} ${construct}`));
    const more = findingsIn({}).filter(({ rule, construct }) => !known.has(`${rule} ${construct}`));
    const rules = new Set(more.map(({ rule }) => rule.split("-").at(-1)));
    expect(rules).toEqual(new Set(["CloudWatchAlarmAction", "LambdaConcurrency", "LambdaTracing"]));
  });

  it("find nothing by the rules of AWS Solutions, whichever way the hooks are made", () => {
    for (const hooksMadeAs of ["asked", "resource"] as const) {
      const app = new App();
      Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
      new NodeLifecycleStack(app, "Sample", { ...sample, ...strict, hooksMadeAs });
      expect(() => app.synth()).not.toThrow();
    }
  });
});
