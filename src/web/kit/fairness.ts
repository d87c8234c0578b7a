import type { ApiClient, Schema } from '../../../libs/client';
import type { ProofVerdict } from './check-proof';

export type { ProofVerdict } from './check-proof';

/** Few people check, so pages load the check when it is wanted: see deploy/bundle-web.mjs. */
const CHECK = '/assets/check-proof.js';

export async function checkProof(api: ApiClient, proof: Schema<'PacketProofDto'>): Promise<ProofVerdict> {
  const check = (await import(`..${CHECK}`)) as typeof import('./check-proof');
  return check.checkProof(api, proof);
}

/** Checks the packet that the page shows: a proof of another amount does not count. */
export async function checkPacket(
  api: ApiClient,
  redPacketId: string,
  amount: string,
): Promise<ProofVerdict> {
  const proof = await api.provePacket(redPacketId);
  const isOfPacket = redPacketId.endsWith(proof.no) && redPacketId.startsWith(proof.activityId);
  return isOfPacket && proof.amount === amount ? checkProof(api, proof) : 'refused';
}
