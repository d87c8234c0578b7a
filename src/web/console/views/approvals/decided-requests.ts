import { useEffect, useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../../libs/client';
import { keep, kept } from '../../../kit/kept';
import { may, type Person } from '../../session/staff';
import { useAnswer } from '../../ui/asking';

type Approval = Schema<'ApprovalDto'>;

const POLL_MS = 10_000;
const SEEN = 'hongbao.console.decisions-seen';
/** In a browser that has seen none yet, older decisions are not news. */
const NEWS_MS = 7 * 86_400_000;

const nameOf = ({ sub }: Person): string => `${SEEN}.${sub}`;

/** When a request was decided or expired; undefined while someone may still decide. */
function endOf({ status, decidedAt, expiresAt }: Approval): string | undefined {
  return decidedAt ?? (status === 'expired' ? expiresAt : undefined);
}

/** How many requests of the person were decided, or have expired, since they last looked. */
export function useDecidedRequests(api: ApiClient, person: Person): number {
  const { value } = useAnswer(
    async (options) =>
      may(person, 'read-own-requests') ? api.listMyApprovals({ limit: 50 }, options) : undefined,
    [api, person.sub, person.role],
    { everyMs: POLL_MS },
  );
  const [, draw] = useState({});
  useEffect(() => {
    const drawAnew = () => draw({});
    addEventListener(SEEN, drawAnew);
    return () => removeEventListener(SEEN, drawAnew);
  }, []);
  const since = kept(nameOf(person)) ?? new Date(Date.now() - NEWS_MS).toISOString();
  return value?.items.filter((approval) => (endOf(approval) ?? '') > since).length ?? 0;
}

/** The person has seen what became of these requests. */
export function sawDecisions(person: Person, approvals: readonly Approval[]): void {
  const ends = approvals.map(endOf).filter((end) => end !== undefined);
  const last = ends.sort().at(-1);
  if (last !== undefined) keep(nameOf(person), last);
  dispatchEvent(new Event(SEEN));
}
