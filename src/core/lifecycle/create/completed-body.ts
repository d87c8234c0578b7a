import { must } from '../../../../libs/problem';
import { isStaff } from '../../../../libs/roles';
import { type Caller, invalidRequest } from '../../../platform/http';
import type { AnySplitBody } from '../split.dto';
import type { CreateActivityBody } from './create.dto';

type Completed = 'split' | 'opensAt' | 'closesAt';

/** A body in which nothing is left to a default that depends on the caller. */
export type CompletedBody = CreateActivityBody & Required<Pick<CreateActivityBody, Completed>>;

const FAULTS = {
  split: must.beA('object', 'must say how the amount is split'),
  opensAt: must.beA('instant'),
  closesAt: must.beA('instant'),
};

const USERS_WINDOW_MS = 24 * 60 * 60 * 1000;

/**
 * Packets between people are random within bounds, and last for a day from now on, unless their sender says
 * otherwise. People who act for the installation have to say how and when.
 *
 * @throws Problem `request.invalid` naming the fields that staff have left out
 */
export async function completed(
  { role }: Caller,
  body: CreateActivityBody,
  { now, splitOf }: { readonly now: Date; readonly splitOf: () => Promise<AnySplitBody> },
): Promise<CompletedBody> {
  if (isStaff(role)) return requireComplete(body);
  const { opensAt = now.toISOString(), split = await splitOf() } = body;
  const fromMs = Math.max(Date.parse(opensAt), now.getTime());
  const { closesAt = new Date(fromMs + USERS_WINDOW_MS).toISOString() } = body;
  return { ...body, split, opensAt, closesAt };
}

function requireComplete(body: CreateActivityBody): CompletedBody {
  const missing = (Object.keys(FAULTS) as Completed[]).filter((field) => body[field] === undefined);
  if (missing.length === 0) return body as CompletedBody;
  const fields = missing.map((field) => ({ field, ...FAULTS[field] }));
  throw invalidRequest('The request is not valid.', { fields });
}
