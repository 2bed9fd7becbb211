/** The Kubernetes rights that `plan` needs, and what else looks at pods as it does. Few claims and volumes are read one by one. */
export const planRights = [
  { apiGroups: [""], resources: ["nodes", "pods"], verbs: ["list"] },
  { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: ["get"] },
  { apiGroups: [""], resources: ["persistentvolumes"], verbs: ["get", "list"] },
  { apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: ["list"] },
  { apiGroups: ["apps"], resources: ["daemonsets"], verbs: ["get"] },
] as const;

/** The same for people, a line each. */
export const planRightsLines = planRights
  .map(({ verbs, resources }) => `  ${verbs.join(", ")} ${resources.join(", ")}`)
  .join("\n");
