export const PACKETS_PER_ACTIVITY = 10_000_000n;

/** The public id of a packet: unique in the whole system, and known before the grab is written. */
export function redPacketId(activityId: string, packetNo: number): string {
  return String(BigInt(activityId) * PACKETS_PER_ACTIVITY + BigInt(packetNo));
}

/** The packet that a public id names, whether it exists or not. */
export function packetOf(id: string): { readonly activityId: string; readonly no: number } {
  const value = BigInt(id);
  return { activityId: String(value / PACKETS_PER_ACTIVITY), no: Number(value % PACKETS_PER_ACTIVITY) };
}
