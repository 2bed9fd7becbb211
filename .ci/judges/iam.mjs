// Judges what tests attempt by an evaluation of IAM that others wrote: `node iam.mjs FOLDER`, where FOLDER has what the tests
// wrote under IAM_REQUESTS. Fails where the sandbox and this judge differ, where no attempt needs a statement of a role, and
// where a role may do to a foreign resource what it may do to its own.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runSimulation } from "@cloud-copilot/iam-simulate";

const [, , folder = "."] = process.argv;
const account = "123456789012";
const foreign = { account: "210987654321", region: "ap-south-2" };

/** Lambda refuses a role that may not do these anywhere; the function's own calls are denied them. */
const ofNetworks = /^ec2:(\w+NetworkInterfaces?|(Una|A)ssignPrivateIpAddresses|DescribeSubnets)$/;

/** Actions that no test attempts with the policies of a stack, and who attempts them. */
const unattempted = [
  [ofNetworks, "Lambda puts functions into a VPC"],
  [/^xray:/, "Lambda sends traces"],
  [/^logs:/, "Lambda writes the log"],
  [/^lambda:/, "the provider of CloudFormation invokes and publishes"],
  [
    /^(secretsmanager:GetSecretValue|kms:Decrypt)$/,
    "the webhook's function has a sandbox of its own",
  ],
  [/^ssm:GetParameters$/, "Auto Scaling resolves the image of a template"],
  [/^ec2:CreateTags$/, "EC2 tags what a template launches"],
  [/^iam:PassRole$/, "Auto Scaling passes the role of a hook that is put"],
  [
    /^(elasticloadbalancing:Describe|ec2:DescribeInstances$)/,
    "an upgrade drains by the calls of the node function, whose tests attempt them",
  ],
  [/^eks:DescribeCluster$/, "the deployer asks once, when CloudFormation creates it"],
  [/^ec2:RebootInstances$/, "the tag of an instance that its group has given it"],
  [/^(none|sqs):/, "stacks of tests that are not the product's, and messages that wait for days"],
];

const records = [
  ...new Set(
    readdirSync(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .flatMap((name) => readFileSync(join(folder, name), "utf8").trim().split("\n")),
  ),
].map((line) => JSON.parse(line));
const policies = new Map(
  records.flatMap(({ policy, statements }) => (statements ? [[policy, statements]] : [])),
);
const judgements = records.filter(({ attempt }) => attempt !== undefined);

const grouped = (ones, keyOf) => {
  const groups = new Map();
  for (const one of ones) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
};

const conditionsOf = (conditions) =>
  Object.fromEntries(
    [...grouped(conditions, ({ operator }) => operator)].map(([operator, ones]) => [
      operator,
      Object.fromEntries(ones.map(({ key, values }) => [key, values])),
    ]),
  );

const principalOf = (principal) => {
  if (principal === "*") return "*";
  return principal.endsWith(".amazonaws.com") ? { Service: principal } : { AWS: principal };
};

/** A policy document of statements as the sandbox has them. */
const documentOf = (statements, of) => ({
  Version: "2012-10-17",
  Statement: statements.flatMap((one) =>
    (of === "role" ? [undefined] : one.principals).map((principal) => ({
      Effect: one.effect,
      ...(principal !== undefined && { Principal: principalOf(principal) }),
      Action: one.actions,
      Resource: one.resources,
      ...(one.conditions.length > 0 && { Condition: conditionsOf(one.conditions) }),
    })),
  ),
});

/** The policy that KMS gives a key: IAM decides. */
const keyPolicy = {
  Version: "2012-10-17",
  Statement: [
    {
      Effect: "Allow",
      Principal: { AWS: `arn:aws:iam::${account}:root` },
      Action: "kms:*",
      Resource: "*",
    },
  ],
};

/** Which account owns a resource. What others share with the account (subnets, reservations) is judged as its own. */
const ownerOf = ({ action, resource }) =>
  action === "ec2:RunInstances" ? account : resource.split(":")[4] || account;

/** What the judge says of an attempt under the statements of a role or of a resource. */
async function verdictOf(of, attempt, statements) {
  const { by, action, resource, context } = attempt;
  const document = documentOf(statements, of);
  const resourcePolicy =
    of === "resource" ? document : action.startsWith("kms:") ? keyPolicy : undefined;
  const asked = {
    request: {
      principal: by,
      action,
      // AWS' own parameters have no account; the judge knows none without.
      resource: {
        resource: resource.replace("::parameter/", `:${account}:parameter/`),
        accountId: ownerOf(attempt),
      },
      contextVariables: context,
    },
    identityPolicies:
      of === "role"
        ? [
            {
              name: "role",
              policy: JSON.parse(
                JSON.stringify(document).replaceAll("::parameter/", `:${account}:parameter/`),
              ),
            },
          ]
        : [],
    serviceControlPolicies: [],
    resourceControlPolicies: [],
    ...(resourcePolicy && { resourcePolicy }),
  };
  const result = await runSimulation(asked, { simulationMode: "Strict" });
  if (result.resultType !== "error") return result.overallResult;
  const { message } = result.errors;
  // An action without resources, which a test tries on one.
  if (message === "must.use.wildcard" && resource !== "*")
    return verdictOf(of, { ...attempt, resource: "*" }, statements);
  return message;
}

const told = [];
const tell = (line) => told.push(line);

async function compare() {
  for (const { of, attempt, policy, verdict } of judgements) {
    const theirs = await verdictOf(of, attempt, policies.get(policy));
    if ((verdict === "allowed") !== (theirs === "Allowed"))
      tell(`the sandbox says ${verdict}, the judge ${theirs}: ${JSON.stringify(attempt)}`);
  }
}

const allowed = judgements.filter(({ of, verdict }) => of === "role" && verdict === "allowed");

/** A statement's role, actions and condition keys, whatever the stack and its names. */
const kindOf = (holder, { actions, resources, conditions }) => {
  const [, role = holder] =
    /(Node|Upgrade|Repair|\w+)Role/.exec(
      holder.replace(/^.*?(?=Upgrades|Repairs|Node(?!Lifecycle))/, ""),
    ) ?? [];
  const types = resources.map((one) => one.split(":")[5]?.split("/")[0] ?? "");
  const kinds = actions[0].startsWith("sqs:") ? "" : [...new Set(types)].join(",");
  return [
    role,
    actions.join(","),
    kinds,
    conditions.map(({ operator, key }) => `${operator} ${key}`).join(","),
  ].join(" | ");
};

const isOf =
  (action) =>
  ({ actions }) =>
    actions.some((one) => one.toLowerCase() === action.toLowerCase());

/** The one statement that allows an attempt; nothing where several do. */
async function onlyGrant(attempt, grants) {
  const enough = [];
  for (const one of grants.filter(isOf(attempt.action)))
    if ((await verdictOf("role", attempt, [one])) === "Allowed") enough.push(one);
  return enough.length === 1 ? enough : [];
}

const isUnattempted = ({ actions }) =>
  actions.every((action) => unattempted.some(([pattern]) => pattern.test(action)));

/** The kinds of the statements by which a role was allowed something that no other statement allows. */
async function neededBy(policy, ones) {
  const grants = grantsOf(policy);
  const only = await Promise.all(ones.map(({ attempt }) => onlyGrant(attempt, grants)));
  return only.flat().map((one) => kindOf(ones[0].holder, one));
}

const grantsOf = (policy) => policies.get(policy).filter(({ effect }) => effect === "Allow");

async function need() {
  const byPolicy = [...grouped(allowed, (one) => one.policy)];
  const needed = await Promise.all(byPolicy.map(([policy, ones]) => neededBy(policy, ones)));
  const kinds = byPolicy.flatMap(([policy, [{ holder }]]) =>
    grantsOf(policy).map((one) => ({ kind: kindOf(holder, one), one })),
  );
  for (const { kind, one } of kinds)
    if (!(needed.flat().includes(kind) || isUnattempted(one)))
      tell(`no attempt needs the statement ${kind}`);
}

/** What may be named in other accounts, as the documents say. */
const shareable = /:(subnet|security-group|placement-group|capacity-reservation|image|snapshot)\//;

/** The same resource in another Region, and in another account. */
function foreignOf(resource) {
  const part = resource.split(":");
  const region = part[3] ? [part.with(3, foreign.region)] : [];
  const owner = part[4] && !shareable.test(resource) ? [part.with(4, foreign.account)] : [];
  return [...region, ...owner].map((parts) => ({
    resource: parts.join(":"),
    "aws:RequestedRegion": parts[3] || part[3],
  }));
}

async function beyond() {
  const own = allowed.filter(
    ({ attempt: { action, resource } }) => resource !== "*" && !ofNetworks.test(action),
  );
  const tries = own.flatMap(({ attempt, policy }) =>
    foreignOf(attempt.resource).map(({ resource, ...region }) => ({
      policy,
      attempt: { ...attempt, resource, context: { ...attempt.context, ...region } },
    })),
  );
  for (const { policy, attempt } of tries)
    if ((await verdictOf("role", attempt, policies.get(policy))) === "Allowed")
      tell(`${attempt.by} may do to a foreign resource: ${attempt.action} on ${attempt.resource}`);
  return tries.length;
}

await compare();
await need();
const tried = await beyond();
const findings = [...new Set(told)];
process.stderr.write(findings.map((line) => `${line}\n`).join(""));
process.stdout.write(
  `${judgements.length} attempts, ${allowed.length} allowed to roles, ${tried} on foreign resources: ${findings.length} findings\n`,
);
if (judgements.length === 0 || findings.length > 0) process.exitCode = 1;
