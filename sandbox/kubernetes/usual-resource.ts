/** What most resources have in common. */
export const usual = {
  group: "",
  namespaced: true,
  generation: true,
  statusSubresource: true,
  returnsDeleted: false,
} as const;
