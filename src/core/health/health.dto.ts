import { ApiProperty } from '@nestjs/swagger';

export class LiveDto {
  @ApiProperty({ enum: ['live'] })
  readonly status!: 'live';

  @ApiProperty({ description: 'The version of the running release.', example: '0.1.0' })
  readonly version!: string;
}

export class ReadyDto {
  @ApiProperty({ enum: ['ready'] })
  readonly status!: 'ready';

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string', enum: ['ok'] },
    example: { process: 'ok', schema: 'ok' },
  })
  readonly checks!: Record<string, 'ok'>;
}

export class DependenciesDto {
  @ApiProperty({ enum: ['ok'] })
  readonly status!: 'ok';

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string', enum: ['ok'] },
    example: { postgres: 'ok', redis: 'ok', eviction: 'ok' },
  })
  readonly checks!: Record<string, 'ok'>;
}
