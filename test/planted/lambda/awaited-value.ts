// @ts-nocheck
export async function total(): Promise<number> {
  const count: number = 3;
  return await count;
}
