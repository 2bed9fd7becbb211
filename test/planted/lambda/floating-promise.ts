// @ts-nocheck
export async function complete(): Promise<void> {}

export async function drain(): Promise<void> {
  complete();
}
