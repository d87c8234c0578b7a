import type { ApiClient, Schema } from '../../../libs/client';
import type { CheckedProof } from './check-proof';
import type { CheckedDrawer } from './drawer';

export type { CheckedProof, ProofVerdict } from './check-proof';

/** Few people check, so pages load the check when it is wanted: see deploy/bundle-web.mjs. */
const CHECK = '/assets/check-proof.js';

const loaded = () => import(`..${CHECK}`) as Promise<typeof import('./check-proof')>;

export async function checkProof(api: ApiClient, proof: Schema<'PacketProofDto'>): Promise<CheckedProof> {
  return (await loaded()).checkProof(api, proof);
}

/** Says what a check of the whole rain has found. */
export async function sayRain(
  api: ApiClient,
  activityId: string,
  language: 'en' | 'zh',
  drawn: Readonly<Record<CheckedDrawer, string>>,
): Promise<string> {
  const check = await loaded();
  return check.sentenceOf(await check.checkRain(api, activityId), language, drawn);
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
