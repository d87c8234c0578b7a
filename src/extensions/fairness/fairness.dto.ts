import { ApiProperty } from '@nestjs/swagger';
import { SPLIT_KINDS, type SplitPlan } from '../../../libs/split';
import { Omittable } from '../../platform/http';

const HASH = {
  example: 'e286c8fc92f4c5aabd206b2037f948d9bbe469e5e328401641ca7017e50739b1',
  pattern: '^[0-9a-f]{64}$',
};
const COUNT = { example: '5', pattern: '^\\d+$' };

class TierTermsDto {
  @ApiProperty({ example: '8.88' })
  readonly amount!: string;

  @ApiProperty(COUNT)
  readonly count!: string;
}

class WaveTermsDto {
  @ApiProperty({ format: 'date-time' })
  readonly at!: string;

  @ApiProperty(COUNT)
  readonly count!: string;
}

class PaceTermsDto {
  @ApiProperty({ enum: ['even', 'waves'] })
  readonly kind!: 'even' | 'waves';

  @Omittable({ format: 'date-time', description: 'The release of the first packet, with the kind `even`.' })
  readonly from?: string;

  @Omittable({
    format: 'date-time',
    description: 'The instant before which all are released, with the kind `even`.',
  })
  readonly until?: string;

  @Omittable({ type: [WaveTermsDto] })
  readonly waves?: WaveTermsDto[];
}

export class BatchTermsDto {
  @ApiProperty({
    enum: ['1', '2', '3'],
    description:
      'Version 1 was drawn by an earlier release, version 2 by the server alone, and version 3 with a word of the sponsor.',
  })
  readonly v!: '1' | '2' | '3';

  @ApiProperty({ example: '7' })
  readonly activity!: string;

  @ApiProperty({ example: '0' })
  readonly batch!: string;

  @ApiProperty(COUNT)
  readonly count!: string;

  @ApiProperty({ example: '10.00' })
  readonly total!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({ enum: SPLIT_KINDS })
  readonly kind!: SplitPlan['kind'];

  @Omittable({ example: '0.10' })
  readonly min?: string;

  @Omittable({ example: '4.00' })
  readonly max?: string;

  @Omittable({ type: [TierTermsDto] })
  readonly tiers?: TierTermsDto[];

  @Omittable({ type: PaceTermsDto, description: 'Omitted if all packets can be won at once.' })
  readonly pace?: PaceTermsDto;

  @Omittable({ ...HASH, description: 'The commitment of the sponsor’s previous batch. Not in version 1.' })
  readonly previous?: string;

  @Omittable({
    ...HASH,
    description: 'The commitment that the sponsor was given before they sent their word. In version 3.',
  })
  readonly commitment?: string;

  @Omittable({ ...HASH, description: 'The word of the sponsor. In version 3.' })
  readonly sponsorSeed?: string;
}

export class FairBatchDto {
  @ApiProperty({ example: '0', description: '0 for the packets of the creation, higher for added ones.' })
  readonly batch!: string;

  @ApiProperty({ example: '1', description: 'The number of its first packet.' })
  readonly firstNo!: string;

  @ApiProperty({ type: BatchTermsDto, description: 'Hashed as canonical JSON (RFC 8785).' })
  readonly terms!: BatchTermsDto;

  @ApiProperty({ ...HASH, type: String, nullable: true, description: 'Null in version 1.' })
  readonly commit!: string | null;

  @ApiProperty({ ...HASH, type: String, nullable: true, description: 'Null in version 1.' })
  readonly root!: string | null;

  @ApiProperty({ ...HASH, type: String, nullable: true, description: 'Null until the activity has ended.' })
  readonly seed!: string | null;
}

export class FairnessDto {
  @ApiProperty({ type: [FairBatchDto] })
  readonly batches!: FairBatchDto[];

  @ApiProperty({ type: String, nullable: true, description: 'Null on the last page.' })
  readonly nextCursor!: string | null;
}

export class PathStepDto {
  @ApiProperty({ enum: ['left', 'right'] })
  readonly side!: 'left' | 'right';

  @ApiProperty(HASH)
  readonly hash!: string;
}

export class PacketProofDto {
  @ApiProperty({ example: '7' })
  readonly activityId!: string;

  @ApiProperty({ example: '0' })
  readonly batch!: string;

  @ApiProperty({ example: '3', description: 'The number of the packet.' })
  readonly no!: string;

  @ApiProperty({ example: '0.25' })
  readonly amount!: string;

  @ApiProperty({ example: 'e6d9b195b8722a2687b1980fed42a8d1', pattern: '^[0-9a-f]{32}$' })
  readonly salt!: string;

  @ApiProperty({ type: [PathStepDto], description: 'From the packet to the root.' })
  readonly path!: PathStepDto[];

  @ApiProperty(HASH)
  readonly root!: string;
}
