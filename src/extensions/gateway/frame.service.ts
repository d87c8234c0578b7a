import { Injectable } from '@nestjs/common';
import { traced } from '../../../libs/tracing';
import { Problems, type Session, Sessions } from '../../platform/http';
import { Metrics } from '../../platform/telemetry';
import { TapService, tapOptionsIn } from '../../core/grab';
import { EventGateway } from '../notification';
import {
  activityIdOf,
  COUNTS_AS,
  type Frame,
  type Op,
  opOf,
  OPS,
  requireKnownFields,
  watchOf,
} from './frame';
import type { FrameReply } from './frame-reply';
import type { News } from './news';

export interface Sender {
  readonly session: Session;
  readonly hearsNews: boolean;
  /** Runs one after the other, so that the last one that the client asked for stays. */
  inTurn<T>(watch: () => Promise<T>): Promise<T>;
  /** Begins to send news, and ends the previous news of this client. */
  beginNews(): News;
}

type Fields = Frame['fields'];

/** Answers frames with the services that answer requests. */
@Injectable()
export class FrameService {
  private readonly counted;

  constructor(
    private readonly sessions: Sessions,
    private readonly problems: Problems,
    private readonly taps: TapService,
    private readonly events: EventGateway,
    metrics: Metrics,
  ) {
    this.counted = metrics.counters({
      name: 'hongbao_gateway_frames_total',
      help: 'Frames of clients, by what they ask; other: nothing that is known, or too often',
      label: 'op',
      values: [...OPS, 'other'],
    });
  }

  /** Never rejects. */
  async answerFrame(sender: Sender, frame: Frame, reply: FrameReply): Promise<void> {
    let op: Op | 'other' = 'other';
    try {
      await this.sessions.admit(sender.session, reply.request.id, reply, countOf(frame));
      if (frame.fault) throw frame.fault;
      op = opOf(frame.fields);
      reply.sendJson(await this.carryOut(op, sender, frame.fields, reply));
    } catch (error) {
      this.problems.sendException(error, reply, () => `gateway ${op}`);
    }
    this.counted[op].inc();
  }

  private carryOut(op: Op, sender: Sender, fields: Fields, reply: FrameReply): Promise<object> {
    if (op === 'grab') this.sessions.requireRole(sender.session, this.taps.roles);
    requireKnownFields(fields, op);
    if (op === 'grab') return this.grab(sender.session, fields, reply);
    return op === 'watch' ? this.watch(sender, fields) : Promise.resolve({});
  }

  private grab({ caller }: Session, fields: Fields, reply: FrameReply): Promise<object> {
    const activityId = activityIdOf(fields);
    return traced(
      'gateway grab',
      () => this.taps.answerTap(activityId, caller, tapOptionsIn(fields), reply),
      () => ({ attributes: { 'hongbao.request_id': reply.request.id } }),
    );
  }

  private async watch(sender: Sender, fields: Fields): Promise<object> {
    const { activityIds: wanted, lastEventId: lastPosition } = watchOf(fields);
    const { caller } = sender.session;
    const keys = tapOptionsIn(fields);
    const listener = { caller, keys, activityIds: [...new Set(wanted)], lastPosition };
    const { activityIds, position } = await sender.inTurn(() =>
      this.events.serve({ ...listener, replacesOne: sender.hearsNews }, () => sender.beginNews()),
    );
    return { activityIds, eventId: position };
  }
}

/** A frame that asks for nothing known counts as one. */
const countOf = ({ fields }: Frame): number =>
  OPS.includes(fields.op as Op) ? COUNTS_AS[fields.op as Op] : 1;
