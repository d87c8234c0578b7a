import type { ApiClient, Schema } from '../../../libs/client';
import type { CheckedProof } from './check-proof';

export type { CheckedProof, ProofVerdict } from './check-proof';

/** Few people check, so pages load the check when it is wanted: see deploy/bundle-web.mjs. */
const CHECK = '/assets/check-proof.js';

export async function checkProof(api: ApiClient, proof: Schema<'PacketProofDto'>): Promise<CheckedProof> {
  const check = (await import(`..${CHECK}`)) as typeof import('./check-proof');
  return check.checkProof(api, proof);
}

/** Checks the packet that the page shows: a proof of another amount does not count. */
export async function checkPacket(
  api: ApiClient,
  redPacketId: string,
  amount: string,
): Promise<CheckedProof> {
  const proof = await api.provePacket(redPacketId);
  const isOfPacket = redPacketId.endsWith(proof.no) && redPacketId.startsWith(proof.activityId);
  return isOfPacket && proof.amount === amount ? checkProof(api, proof) : { verdict: 'refused' };
}
