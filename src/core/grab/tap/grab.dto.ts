import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { oneOfBy } from '../../../platform/http';

const PACKET = { example: '10000042', description: 'Your packet. It never changes.' };
const AMOUNT = { example: '7.10', description: 'Its amount, in the currency of the activity.' };

/** You have won. */
export class WonGrabDto {
  @ApiProperty({ enum: ['0'] })
  readonly code!: '0';

  @ApiProperty(PACKET)
  readonly redPacketId!: string;

  @ApiProperty(AMOUNT)
  readonly amount!: string;
}

/** You had this packet already. */
export class RepeatedGrabDto {
  @ApiProperty({ enum: ['1'] })
  readonly code!: '1';

  @ApiProperty(PACKET)
  readonly redPacketId!: string;

  @ApiProperty(AMOUNT)
  readonly amount!: string;
}

/** A packet is reserved for you but not yet confirmed. */
export class ReservedGrabDto {
  @ApiProperty({ enum: ['2'] })
  readonly code!: '2';

  @ApiProperty({ example: '10000042', description: 'The packet that is reserved for you.' })
  readonly redPacketId!: string;
}

const REASONS = ['sold-out', 'not-open', 'not-yet', 'closed', 'limit'] as const;

/** There is nothing to get. */
export class RefusedGrabDto {
  @ApiProperty({ enum: ['-1'] })
  readonly code!: '-1';

  @ApiProperty({ enum: REASONS })
  readonly reason!: (typeof REASONS)[number];

  @ApiPropertyOptional({
    format: 'date-time',
    description: 'Opening time of the activity, with the reason `not-open`.',
  })
  readonly opensAt?: string;

  @ApiPropertyOptional({
    format: 'date-time',
    description:
      'With the reason `not-yet`: the instant at which this user should tap again, up to five seconds after the next ' +
      'packets are released.',
  })
  readonly nextAt?: string;
}

/** The answer to a grab. Which fields it has follows from `code`. */
export type GrabDto = WonGrabDto | RepeatedGrabDto | ReservedGrabDto | RefusedGrabDto;

const GRAB_ANSWERS = { '0': WonGrabDto, '1': RepeatedGrabDto, '2': ReservedGrabDto, '-1': RefusedGrabDto };

/** Shows clients which fields each code has. */
export const grabSchemas = {
  GrabDto: {
    description:
      'The answer to a grab. `code`: `0` won · `1` you already had this packet · `2` reserved, ask again for the ' +
      'confirmation · `-1` nothing to get.',
    ...oneOfBy('code', GRAB_ANSWERS),
  },
};
