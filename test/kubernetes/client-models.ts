import * as clientNode from "@kubernetes/client-node";

/** A field of a model: its name as it is sent, and its type. */
export interface Attribute {
  readonly baseName: string;
  readonly type: string;
}

interface Model {
  getAttributeTypeMap(): readonly Attribute[];
}

const isModel = (value: unknown): value is Model =>
  typeof value === "function" && "getAttributeTypeMap" in value;

/** The fields of a model of client-node. */
export function attributesOf(type: string): readonly Attribute[] {
  const model: unknown = Reflect.get(clientNode, type);
  if (!isModel(model)) throw new Error(`no such type in client-node: ${type}`);
  return model.getAttributeTypeMap();
}
