import { Stack, Validations } from "aws-cdk-lib";
import type { Role } from "aws-cdk-lib/aws-iam";

/** Explains to cdk-nag why a role has a permission on a resource with a wildcard. */
export function explainWildcard(role: Role, resource: string, reason: string): void {
  const explain = (): string[] => {
    const finding = flattened(Stack.of(role).resolve(resource));
    // `acknowledge` turns blanks into dashes and refuses lone brackets; cdk-nag compares the id as it is.
    const id = `Annotation::AwsSolutions-IAM5[Resource::${finding}]`;
    role.node.addMetadata(Validations.ACKNOWLEDGED_RULES_METADATA_KEY, { [id]: reason });
    return [];
  };
  // CDK knows only at validation whether a reference is one to another stack.
  role.node.addValidation({ validate: explain });
}

/** A CloudFormation value in the form that findings of cdk-nag have. */
function flattened(value: unknown): string {
  // cdk-nag takes each closing brace for the end of a reference.
  if (typeof value !== "object" || value === null) return String(value).replaceAll("}", ">");
  if ("Fn::ImportValue" in value) return flattened(value["Fn::ImportValue"]);
  if ("Ref" in value) return `<${value.Ref}>`;
  if ("Fn::GetAtt" in value) return `<${listed(value["Fn::GetAtt"]).map(String).join(".")}>`;
  if ("Fn::Join" in value) {
    const [separator, parts] = listed(value["Fn::Join"]);
    return listed(parts).map(flattened).join(String(separator));
  }
  return JSON.stringify(value);
}

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
