import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isStaff } from '../../../libs/roles';
import {
  type Attempt,
  type Audiences,
  defineAudiences,
  type Keys,
  PUBLIC,
  Visibility,
} from '../../core/activity';
import { type Caller, unauthenticated } from '../../platform/http';
import { bringsPassword, proofsIn } from './audience-keys';
import { type AnyAudienceBody, audienceTerms, type AudienceDto, type HiddenKind } from './audience-terms.dto';
import { AudienceRepository, type AudienceRow, isInsider } from './audience.repository';
import { digestOf } from './password';
import { PasswordTries } from './password-tries';

defineAudiences(audienceTerms);

const SHARE_CODE_BYTES = 16;

export const newShareCode = (): string => randomBytes(SHARE_CODE_BYTES).toString('base64url');

/** Stores whom activities are for, and decides who may know of them. */
@Injectable()
export class HiddenActivities implements Audiences {
  readonly sql = isInsider;

  constructor(
    private readonly rows: AudienceRepository,
    private readonly tries: PasswordTries,
    visibility: Visibility,
  ) {
    visibility.register(this);
  }

  proofsIn(keys: Keys): object {
    return proofsIn(keys);
  }

  /** @throws tooManyPasswords */
  beginAttempt(userId: string, keys: Keys): Attempt | undefined {
    return bringsPassword(keys) ? this.tries.begin(userId) : undefined;
  }

  /** @throws unauthenticated */
  refuseGuess(keys: Keys): void {
    if (bringsPassword(keys))
      throw unauthenticated('A `Packet-Password` needs a token: send "Authorization: Bearer TOKEN" as well.');
  }

  kindFor({ role }: Caller, terms: AnyAudienceBody | undefined): string {
    return terms?.kind ?? (isStaff(role) ? PUBLIC : 'link');
  }

  async keep(
    tx: EntityManager,
    activityId: string,
    kind: HiddenKind,
    terms: AnyAudienceBody | undefined,
  ): Promise<void> {
    const nothing = { shareCode: null, userIds: null, password: null, passwordDigest: null };
    await this.rows.insert(tx, { activityId, kind, ...nothing, ...detailsOf(terms) });
  }

  shown(kind: string): object {
    return { kind };
  }

  /** Without the share code: a repeated activity gets another one. */
  async termsOf(activityId: string): Promise<object> {
    const { shareCode: _, ...terms } = await this.audienceOf(activityId);
    return terms;
  }

  /** Everything that its sponsor and staff may know of it. */
  async audienceOf(activityId: string): Promise<AudienceDto> {
    const [row] = await this.rows.ofActivities([activityId]);
    if (!row) return { kind: PUBLIC };
    const { kind, shareCode, userIds, password } = row;
    return {
      kind,
      ...(shareCode !== null && { shareCode }),
      ...(userIds && { userIds: [...userIds] }),
      ...(password !== null && { password }),
    };
  }
}

function detailsOf(terms: AnyAudienceBody | undefined): Partial<AudienceRow> {
  if (terms?.kind === 'people') return { userIds: [...new Set(terms.userIds)] };
  if (terms?.kind === 'password')
    return { password: terms.password, passwordDigest: digestOf(terms.password) };
  return { shareCode: newShareCode() };
}
