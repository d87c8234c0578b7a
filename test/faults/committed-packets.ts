import { setTimeout as pause } from 'node:timers/promises';
import type { PostgresServer } from './engines';
import type { Committed } from './witness';

const POLL_MS = 30;

export class CommittedPackets {
  private readonly seen = new Map<string, Committed[]>();

  constructor(private readonly postgres: PostgresServer) {}

  of(activityId: string): readonly Committed[] {
    return this.seen.get(activityId) ?? [];
  }

  note(activityId: string, packets: number): void {
    const sight = { atMs: Date.now(), packets };
    this.seen.set(activityId, [...this.of(activityId), sight]);
  }

  /** Looks while packets are being added: a process may die between the commit and its answer. */
  async during(activityId: string, adding: Promise<unknown>): Promise<void> {
    const added = new AbortController();
    const looking = this.lookUntil(added.signal, activityId);
    try {
      await adding;
    } finally {
      added.abort();
      await looking;
    }
  }

  private async lookUntil(end: AbortSignal, activityId: string): Promise<void> {
    const count = `select packet_count as packets from activity where id = $1`;
    while (!end.aborted) {
      const rows = await this.postgres.sql<{ packets: number }>(count, [activityId]).catch(() => []);
      for (const { packets } of rows) this.note(activityId, packets);
      await pause(POLL_MS);
    }
  }
}
