const pseudo: Readonly<Record<string, string>> = {
  "AWS::AccountId": "123456789012",
  "AWS::Partition": "aws",
  "AWS::Region": "eu-west-1",
  "AWS::URLSuffix": "amazonaws.com",
};

/** A value of a template as text; attributes of other resources are made up from logical IDs. */
export function resolved(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const [[call, operand] = ["", undefined]] = Object.entries(value);
  if (call === "Ref") return pseudo[String(operand)] ?? `https://example.com/${String(operand)}`;
  if (call === "Fn::GetAtt" && Array.isArray(operand)) return operand.join(".");
  if (call === "Fn::Join" && Array.isArray(operand) && Array.isArray(operand[1]))
    return operand[1].map(resolved).join(String(operand[0]));
  throw new Error(`cannot resolve ${JSON.stringify(value)}`);
}
