import { accessManifests, rightsFiles } from "../../cli/manifests/access-manifests.ts";
import { type RightsChoice, type RightsPart, rightsParts } from "../../lambda/rights/rights.ts";
import { type Manifest, manifestsSchema } from "./manifests-schema.ts";
import { tableOf, withTable } from "./table.ts";

/** Replaces the table of rights in the cluster by a table made from the manifests. */
export const withRightsTable = (document: string): string =>
  withTable("rights in the cluster", rightsTable(), document);

/** Why a part of the rights is applied; `without` is a choice that leaves it out. */
export interface Condition {
  readonly words: string;
  readonly without?: Partial<RightsChoice>;
}

/** The condition of each part of the rights. */
export const conditions: Readonly<Record<RightsPart, Condition>> = {
  fence: { words: "always" },
  "aws-auth-fence": { words: "always" },
  "event-fence": { words: "always" },
  "room-fence": {
    words: "with `drain.makeRoom` `annotated` or `on`",
    without: { makeRoom: "off" },
  },
  flow: { words: 'with `"apiPriority": "own"`', without: { apiPriority: "shared" } },
  rbac: { words: "always" },
  upgrades: { words: 'with `"upgrades": "on"`', without: { upgrades: "off" } },
  repairs: { words: 'with `"repairs": "on"`', without: { repairs: "off" } },
  "aws-auth-read": {
    words: "where node roles may be registered in `aws-auth`",
    without: { awsAuth: "none" },
  },
  "aws-auth-edit": {
    words: "where the function registers node roles in `aws-auth`",
    without: { awsAuth: "read" },
  },
  events: {
    words: "unless `reports.kubernetesEvents` is `off`",
    without: { events: "off" },
  },
  conditions: { words: "with `drain.conditions` `on`", without: { conditions: "off" } },
  "making-room": {
    words: "with `drain.makeRoom` `annotated` or `on`",
    without: { makeRoom: "off" },
  },
  "agent-restart": {
    words:
      'with `"repairs": "on"`, `repair.secondOpinion` `restart-agent` and `drain.force` `never`',
    without: { secondOpinion: "off" },
  },
  force: { words: "unless `drain.force` is `never`", without: { force: "never" } },
  "node-removal": {
    words: "unless `events.removeNode` is `never`",
    without: { removeNode: "never" },
  },
};

function rightsTable(): string {
  const manifests = accessManifests();
  const rows = rightsParts.map((part) => {
    const file = rightsFiles[part];
    const objects = manifestsSchema.parse(JSON.parse(manifests[part]));
    return [
      `[${file}](../lambda/rights/${file})`,
      conditions[part].words,
      objects.flatMap(contents).join("; "),
      [...new Set(objects.flatMap(groupsOf))].map(code).join(", "),
    ];
  });
  return tableOf([["File", "Applied", "What it allows or limits", "Groups"], ...rows]);
}

const code = (text: string): string => `\`${text}\``;

function contents(object: Manifest, _index: number, file: readonly Manifest[]): readonly string[] {
  const { kind, rules = [], roleRef, spec } = object;
  if (kind === "FlowSchema") return ["a share of the API server for the functions' requests"];
  const limited = spec?.matchConstraints?.resourceRules.flatMap(({ resources }) => resources);
  if (limited !== undefined)
    return [`limits writes of ${[...new Set(limited)].map(code).join(", ")}`];
  const isRoleHere = file.some(({ kind: other }) => /^(Cluster)?Role$/.test(other));
  if (roleRef !== undefined && !isRoleHere) return [`the role \`${roleRef.name}\` of rbac.yaml`];
  return rules.map(
    ({ verbs, resources, resourceNames: only = [] }) =>
      `${verbs.join(", ")} ${resources.map(code).join(", ")}${only.map((name) => ` ${code(name)}`).join(",")}`,
  );
}

/** The groups that a binding, a FlowSchema or the condition of a policy names. */
const groupsOf = ({ subjects = [], spec }: Manifest): readonly string[] => [
  ...subjects.map(({ name }) => name),
  ...(spec?.rules ?? []).flatMap((rule) => rule.subjects.map(({ group }) => group.name)),
  ...(spec?.matchConditions ?? []).flatMap(({ expression }) =>
    [...expression.matchAll(/'(eks-node-lifecycle[a-z-]*)'/g)].map(([, name = ""]) => name),
  ),
];
