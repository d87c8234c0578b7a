import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';

export class StatementQuery {
  @ApiProperty({ example: '2031-02-03', description: 'The day of the file (UTC), which has to be over.' })
  @Matches(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, { message: 'must be a day such as 2031-02-03' })
  readonly day!: string;
}

/** What became of the lines. */
export class StatementResult {
  @ApiProperty({ example: 1_000 })
  readonly lines!: number;

  @ApiProperty({ example: 990, description: 'Those that say what our books say.' })
  readonly equal!: number;

  @ApiProperty({ example: 7, description: 'Those that have changed the state of a payout.' })
  readonly posted!: number;

  @ApiProperty({
    example: 3,
    description: 'Findings that this file has opened, also about lines that it lacks.',
  })
  readonly found!: number;

  @ApiProperty({ example: 0, description: 'Findings of earlier files that this file has ended.' })
  readonly ended!: number;
}
