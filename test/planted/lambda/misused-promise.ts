// @ts-nocheck
export function evictAll(pods: string[], evict: (pod: string) => Promise<void>): void {
  pods.forEach(async (pod) => {
    await evict(pod);
  });
}
