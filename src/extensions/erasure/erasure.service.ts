import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  type Caller,
  decodeCursor,
  IdempotencyService,
  type IdempotentRequest,
  type Page,
  type PageQuery,
  toPage,
} from '../../platform/http';
import { AuditLog } from '../../core/audit';
import { Currencies } from '../../core/currency';
import type { Queries } from '../../platform/postgres';
import { type DeedDescription, type PendingDeed, SecondPerson } from '../../core/second-person';
import { isPseudonym } from '../../../libs/user-id';
import type { Erasure, UnderWay } from './erasure';
import type { ErasureDto, ErasureStatus, StandingDto } from './erasure.dto';
import {
  alreadyForgotten,
  dutyToKeep,
  erasureFinal,
  erasureNotFound,
  erasureRequested,
  notAtRest,
} from './erasure.error';
import { ErasureRepository } from './erasure.repository';
import { KeptPeople } from './kept-people';

/** Its subject is the person. It is the only deed without an amount. */
export const ERASE: DeedDescription = {
  action: 'user.erase',
  problems: [notAtRest, dutyToKeep, erasureRequested, alreadyForgotten],
};

/** Takes requests to forget a person, which the owner of the tables carries out. */
@Injectable()
export class ErasureService {
  constructor(
    private readonly erasures: ErasureRepository,
    private readonly kept: KeptPeople,
    private readonly secondPerson: SecondPerson,
    private readonly idempotency: IdempotencyService,
    private readonly currencies: Currencies,
    private readonly audit: AuditLog,
  ) {
    secondPerson.registerDeed({
      ...ERASE,
      perform: async (tx, approver, { subjectId }) => {
        const { id } = await this.request(tx, approver, subjectId);
        return { detail: { erasureId: id } };
      },
    });
  }

  /**
   * Asks for a second person's approval. Where nobody could give it, the erasure can be carried out at once.
   * @throws notAtRest, dutyToKeep, erasureRequested, alreadyForgotten
   */
  askToErase(request: IdempotentRequest, userId: string): Promise<ErasureDto | PendingDeed> {
    return this.idempotency.once(request, async (tx, sourceId) => {
      await this.erasures.lockRequests(tx, userId);
      const open = await this.openRequest(userId, tx);
      if (open) throw requested(userId, open);
      await this.requireForgettable(tx, userId);
      const currency = this.currencies.default;
      const subject = { action: ERASE.action, subjectId: userId, sourceId };
      return this.secondPerson.requestOrPerform(
        tx,
        request,
        { ...subject, currency, amountMinor: 0n, terms: {} },
        async () => toDto(await this.request(tx, request.caller, userId)),
      );
    });
  }

  async standing(userId: string): Promise<StandingDto> {
    const { underWay, keptUntil } = await this.kept.standing(userId);
    const open = await this.openRequest(userId);
    return {
      userId,
      underWay: [...(open ? [open] : []), ...underWay],
      keptUntil: keptUntil?.toISOString() ?? null,
    };
  }

  async list({ limit, cursor }: PageQuery): Promise<Page<ErasureDto>> {
    const rows = await this.erasures.list(decodeCursor(cursor), limit + 1);
    const { items, nextCursor } = toPage(rows, limit, ({ id }) => id);
    return { items: items.map(toDto), nextCursor };
  }

  /** @throws erasureNotFound */
  async read(id: string): Promise<ErasureDto> {
    return toDto(await this.requireErasure(id));
  }

  /**
   * One person is enough: nothing is lost by it. An older program may have taken a second request about the same user,
   * which nobody can approve afterwards.
   * @throws erasureNotFound, erasureFinal
   */
  withdraw(request: IdempotentRequest, id: string): Promise<ErasureDto> {
    return this.idempotency.once(request, async (tx) => {
      const userId = await this.erasures.withdraw(tx, id, request.caller.userId);
      const erasure = await this.requireErasure(id, tx);
      if (userId === undefined) throw erasureFinal(`The status of erasure ${id} is ${statusOf(erasure)}.`);
      await this.secondPerson.lapse(tx, ERASE.action, userId);
      await this.audit.record(tx, request.caller, {
        action: 'user.withdraw-erasure',
        id: userId,
        before: { status: 'requested' },
        after: { status: 'withdrawn' },
        detail: { erasureId: id },
      });
      return toDto(erasure);
    });
  }

  private async requireErasure(id: string, db?: Queries): Promise<Erasure> {
    const erasure = await this.erasures.findErasure(id, db);
    if (!erasure) throw erasureNotFound(`There is no erasure ${id}.`);
    return erasure;
  }

  private async request(tx: EntityManager, caller: Caller, userId: string): Promise<Erasure> {
    await this.requireForgettable(tx, userId);
    const erasure = await this.erasures.insert(tx, userId, caller.userId);
    if (!erasure) throw requested(userId, await this.openRequest(userId, tx));
    await this.audit.record(tx, caller, {
      action: ERASE.action,
      id: userId,
      after: { status: 'requested' },
      detail: { erasureId: erasure.id },
    });
    return erasure;
  }

  private openRequest(userId: string, db?: Queries): Promise<UnderWay | undefined> {
    return this.erasures.openRequest(userId, this.secondPerson.undecidedDeeds, db);
  }

  /** The subject of a request that waited while the person was forgotten is a pseudonym by then. */
  private async requireForgettable(tx: EntityManager, userId: string): Promise<void> {
    if (isPseudonym(userId)) throw alreadyForgotten(`${userId} is a pseudonym.`);
    const { underWay, keptUntil } = await this.kept.standing(userId, tx);
    if (underWay.length > 0) {
      const names = underWay.map(({ what, id }) => (id === null ? what : `${what} ${id}`));
      throw notAtRest(`These have to end first: ${names.join(', ')}.`);
    }
    if (keptUntil) throw dutyToKeep(`Records of ${userId} have to be kept until ${keptUntil.toISOString()}.`);
  }
}

/** Anyone who may ask for an erasure may also read the entries that this names. */
const requested = (userId: string, open: UnderWay | undefined): Error =>
  erasureRequested(
    `A request has already been made to forget ${userId}${open ? `: see ${open.what} ${open.id}` : ''}.`,
  );

const toDto = (erasure: Erasure): ErasureDto => ({
  id: erasure.id,
  status: statusOf(erasure),
  userId: erasure.userId,
  pseudonym: erasure.pseudonym,
  requestedBy: erasure.requestedBy,
  requestedAt: erasure.requestedAt.toISOString(),
  doneAt: erasure.doneAt?.toISOString() ?? null,
  withdrawnBy: erasure.withdrawnBy,
  withdrawnAt: erasure.withdrawnAt?.toISOString() ?? null,
});

function statusOf({ pseudonym, doneAt, withdrawnAt }: Erasure): ErasureStatus {
  if (withdrawnAt) return 'withdrawn';
  if (doneAt) return 'done';
  return pseudonym === null ? 'requested' : 'begun';
}
