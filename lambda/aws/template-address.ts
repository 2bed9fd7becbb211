/** The name of a launch template in a request: its id or its name. */
type TemplateAddress =
  | { readonly LaunchTemplateId: string }
  | { readonly LaunchTemplateName: string };

/** Names a launch template in a request, which may not have both its id and its name. */
export const templateAddress = (template: string): TemplateAddress =>
  /^lt-[0-9a-f]+$/.test(template)
    ? { LaunchTemplateId: template }
    : { LaunchTemplateName: template };
