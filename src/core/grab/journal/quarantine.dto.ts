import { ApiProperty } from '@nestjs/swagger';

export class QuarantinedEntryDto {
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    example: 7,
    description: 'The shard whose journal held the entry.',
  })
  readonly shard!: number;

  @ApiProperty({ example: '1767225600000-0', description: 'The id of the entry in that journal.' })
  readonly entryId!: string;

  @ApiProperty({ example: 'not a packet', description: 'The first part of the entry that cannot be read.' })
  readonly flaw!: string;

  @ApiProperty({
    example: '["42","u1 7"]',
    description:
      'The fields and values of the entry in turn, as a JSON array, cut after a thousand characters.',
  })
  readonly fields!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 2,
    example: 13,
    description: 'Length of the uncut fields, in characters.',
  })
  readonly length!: number;
}
