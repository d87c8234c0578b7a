import { Injectable } from '@nestjs/common';
import { within } from '../../../../libs/deadline';
import { AlertBoard } from '../../../../libs/redis-scripts';
import type { Counted } from '../counted';
import { AlertEvaluation, type FiringAlert } from './alert-evaluation';

const ANSWER_WITHIN_MS = 1_000;

/** Evaluates the rules of Prometheus over the metrics of this process, and shares what fires. */
@Injectable()
export class FiringAlerts {
  private readonly evaluation = new AlertEvaluation();
  private own: readonly string[] = [];

  constructor(private readonly board: AlertBoard) {}

  look(counted: Counted, nowSeconds: number): void {
    this.own = this.evaluation.look(counted, nowSeconds);
  }

  share(): Promise<void> {
    return this.board.renew(this.own);
  }

  /** Only those of this process while Redis is down. */
  async read(): Promise<{ firing: readonly FiringAlert[]; ofAllProcesses: boolean }> {
    const shared = await within(ANSWER_WITHIN_MS, this.board.firing()).catch(() => undefined);
    const texts = new Set([...this.own, ...(shared ?? [])]);
    const firing = [...texts].map((text) => JSON.parse(text) as FiringAlert);
    return { firing, ofAllProcesses: shared !== undefined };
  }
}
