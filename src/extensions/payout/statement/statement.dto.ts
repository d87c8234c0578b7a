import { ApiProperty } from '@nestjs/swagger';
import { IsDay } from '../../../platform/http';

export class StatementQuery {
  @ApiProperty({ example: '2031-02-03', description: 'The day of the file (UTC), which has to be over.' })
  @IsDay()
  readonly day!: string;
}

/** The lines of a file, counted by their effect. */
export class StatementResult {
  @ApiProperty({ example: '7', description: 'The id of the file, which its findings name.' })
  readonly statementId!: string;

  @ApiProperty({ type: 'integer', example: 1_000 })
  readonly lines!: number;

  @ApiProperty({ type: 'integer', example: 990, description: 'Lines that agree with our books.' })
  readonly equal!: number;

  @ApiProperty({ type: 'integer', example: 7, description: 'Lines that have changed the state of a payout.' })
  readonly posted!: number;

  @ApiProperty({
    type: 'integer',
    example: 3,
    description: 'Findings that this file has opened, including those about lines that it lacks.',
  })
  readonly found!: number;

  @ApiProperty({
    type: 'integer',
    example: 0,
    description: 'Findings of earlier files that this file has ended.',
  })
  readonly ended!: number;
}
