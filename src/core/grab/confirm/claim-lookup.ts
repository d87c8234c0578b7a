import { Injectable } from '@nestjs/common';
import { Batcher } from '../../../../libs/batching';
import { DeadlineExceeded, within } from '../../../../libs/deadline';
import { AppConfig } from '../../../platform/config';
import { ClaimRepository, type TapFacts } from './claim.repository';
import { lookupsFull } from './confirm.error';

interface Question {
  readonly activityId: string;
  readonly userId: string;
}

const QUESTIONS_PER_QUERY_MAX = 500;

/** How many urgent connections lookups may use: a crowd at a rain that is over leaves the others to winners. */
const QUERIES_IN_FLIGHT_MAX = 1;

/** Answering this many keeps one connection busy for a few tenths of a second. */
const QUESTIONS_WAITING_MAX = 5_000;

/**
 * Asks Postgres what Redis cannot answer: about rains that Redis has forgotten, and about winners
 * while it may have forgotten some. All questions of one moment share a query.
 */
@Injectable()
export class ClaimLookup {
  private readonly questions = new Batcher<Question, TapFacts>({
    run: (questions) => this.claims.tapFacts(questions),
    sizeMax: QUESTIONS_PER_QUERY_MAX,
    concurrencyMax: QUERIES_IN_FLIGHT_MAX,
  });

  constructor(
    private readonly claims: ClaimRepository,
    private readonly config: AppConfig,
  ) {}

  /** @throws lookupsFull if too many questions wait, or Postgres does not answer in time */
  async factsOf(activityId: string, userId: string): Promise<TapFacts> {
    if (this.questions.size >= QUESTIONS_WAITING_MAX) throw full();
    try {
      return await within(this.config.CONFIRM_TIMEOUT_MS, this.questions.submit({ activityId, userId }));
    } catch (cause) {
      throw cause instanceof DeadlineExceeded ? full(cause) : cause;
    }
  }
}

const full = (cause?: unknown): Error =>
  lookupsFull('Postgres has not answered earlier lookups yet; try again.', { retryAfterSeconds: 1, cause });
