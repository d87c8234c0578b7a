import { Injectable } from '@nestjs/common';
import {
  claimLeafHash,
  consistencyRanges,
  inclusionRanges,
  rangeHash,
  userHash,
} from '../../../libs/claim-log';
import { must } from '../../../libs/problem';
import { packetOf } from '../../../libs/red-packet-id';
import { sharedLook } from '../../../libs/shared-look';
import { Slots } from '../../../libs/slots';
import { busy, invalidField } from '../../platform/http';
import type {
  CheckpointQuery,
  ListedLeafDto,
  LogConsistencyDto,
  LogLeafDto,
  LogLeavesDto,
  LogProofDto,
} from './claim-log.dto';
import { claimNotLogged, logEmpty } from './claim-log.error';
import {
  ClaimLogRepository,
  type ListedLeaf,
  type LoggedLeaf,
  type SignedTree,
} from './claim-log.repository';
import { CosignatureService } from './cosignature.service';

const LEAVES_AT_ONCE = 1_000;

/** People without a token may use half of them; they are not limited in any other way. */
const SLOTS = 4;

@Injectable()
export class ClaimLogService {
  private readonly slots = new Slots(SLOTS);
  private readonly lastTree = sharedLook(() => this.cosignedHead());

  constructor(
    private readonly log: ClaimLogRepository,
    private readonly cosignatures: CosignatureService,
  ) {}

  /** The newest checkpoint, or the newest that enough witnesses have signed. @throws logEmpty, notCosigned, busy */
  async checkpoint({ quorum, of }: CheckpointQuery): Promise<string> {
    const { note } = await this.tree();
    if (quorum === undefined) return note;
    return this.inSlot(() => this.cosignatures.newestBy(quorum, of?.split(',')));
  }

  /** The tree that was signed last, or up to a second before. @throws logEmpty */
  async tree(): Promise<SignedTree> {
    return (await this.lastTree()) ?? nothingLogged();
  }

  /**
   * Another process may have shown a newer tree than the shared query has seen.
   * @throws logEmpty, busy, Problem `request.invalid` naming the size that does not exist
   */
  async consistency({ from, to }: { from: number; to: number }): Promise<LogConsistencyDto> {
    if (from > to) throw invalidField('from', must.beAtMost(to, 'must be at most to', 'to'));
    const known = await this.tree();
    const proof = await this.inSlot(async () => {
      const { size } = to > known.size ? ((await this.log.head()) ?? nothingLogged()) : known;
      if (to > size) throw invalidField('to', must.beAtMost(size));
      return this.proofOf(consistencyRanges(from, to));
    });
    return { from, to, proof };
  }

  /** Leaves from this one on; none beyond the end. @throws busy */
  async leaves(from: number): Promise<LogLeavesDto> {
    return { leaves: (await this.inSlot(() => this.log.leaves(from, LEAVES_AT_ONCE))).map(toListed) };
  }

  /** The owner of a leaf is the user to whom its salt leads. @throws claimNotLogged */
  async ofPacket(redPacketId: string, userId: string): Promise<LogProofDto> {
    const { activityId, no } = packetOf(redPacketId);
    const leaf = await this.log.leafOfPacket(activityId, no);
    if (!leaf?.salt || !userHash(userId, leaf.salt).equals(leaf.userHash))
      throw claimNotLogged(`Packet ${redPacketId} is not yours, or not in the log yet.`);
    const { size, note, verifierKey } = (await this.cosignedHead()) ?? nothingLogged();
    const path = await this.proofOf(inclusionRanges(leaf.index, size));
    return { ...toDto(leaf), salt: leaf.salt.toString('hex'), path, checkpoint: note, verifierKey };
  }

  private async cosignedHead(): Promise<SignedTree | undefined> {
    const head = await this.log.head();
    return head && { ...head, note: await this.cosignatures.on(head.size, head.note) };
  }

  private async proofOf(ranges: Parameters<ClaimLogRepository['hashes']>[0]): Promise<string[]> {
    return (await this.log.hashes(ranges)).map((stretches) => rangeHash(stretches).toString('hex'));
  }

  private inSlot<T>(work: () => Promise<T>): Promise<T> {
    return this.slots.run('user', work, () =>
      busy('Too many requests read the log at once; try again.', { retryAfterSeconds: 1 }),
    );
  }
}

function nothingLogged(): never {
  throw logEmpty('No claim has been logged yet, or this installation keeps no log.');
}

/** Its hash says as little as that of a user with an unknown salt. */
const toListed = ({ isPublic, ...leaf }: ListedLeaf): ListedLeafDto =>
  isPublic ? toDto(leaf) : { index: leaf.index, hash: claimLeafHash(leaf).toString('hex') };

const toDto = ({
  index,
  activityId,
  packetNo,
  confirmedAtMicros,
  userHash: user,
}: LoggedLeaf): LogLeafDto => ({
  index,
  activityId,
  no: String(packetNo),
  confirmedAtMicros: String(confirmedAtMicros),
  user: user.toString('hex'),
});
