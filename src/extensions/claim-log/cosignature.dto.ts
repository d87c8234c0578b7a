import { ApiProperty } from '@nestjs/swagger';
import { exampleInstant, IsText, IsWholeNumber } from '../../platform/http';
import { LEAVES, LEAVES_MAX } from './claim-log.dto';

const LINE = { min: 1, max: 300 };

export const COSIGNATURE_EXAMPLE =
  '— witness.example/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==';

export class CosignatureBody {
  @ApiProperty({
    ...LEAVES,
    minimum: 1,
    maximum: LEAVES_MAX,
    example: 9,
    description: 'The size of the tree that is signed.',
  })
  @IsWholeNumber({ minimum: 1, maximum: LEAVES_MAX })
  readonly size!: number;

  @ApiProperty({
    minLength: LINE.min,
    maxLength: LINE.max,
    example: COSIGNATURE_EXAMPLE,
    description:
      'A signature line of the note, as in C2SP tlog-cosignature with Ed25519, without a line break.',
  })
  @IsText(LINE)
  readonly cosignature!: string;
}

export class CosignatureDto {
  @ApiProperty({ example: 'witness.example/w1', description: 'The name of the witness.' })
  readonly witness!: string;

  @ApiProperty({ ...LEAVES, example: 9 })
  readonly size!: number;

  @ApiProperty({
    format: 'date-time',
    example: exampleInstant(0),
    description: 'The time in the cosignature that is kept for this checkpoint.',
  })
  readonly cosignedAt!: string;
}
