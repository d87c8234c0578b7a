import { ApiProperty } from '@nestjs/swagger';

export class QuarantinedEntryDto {
  @ApiProperty({ type: 'integer', minimum: 0, example: 7, description: 'The journal that it was in.' })
  readonly shard!: number;

  @ApiProperty({ example: '1767225600000-0', description: 'Its id in that journal.' })
  readonly entryId!: string;

  @ApiProperty({ example: 'not a packet', description: 'The first thing in it that cannot be read.' })
  readonly flaw!: string;

  @ApiProperty({
    example: '["42","u1 7"]',
    description: 'Its fields and values in turn, as a JSON array, cut after a thousand characters.',
  })
  readonly fields!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 2,
    example: 13,
    description: 'How many characters these are uncut.',
  })
  readonly length!: number;
}
