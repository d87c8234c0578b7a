import { ApiProperty } from '@nestjs/swagger';
import { exampleInstant, IsInstant } from '../../../platform/http';

export class ExtendBody {
  @ApiProperty({
    format: 'date-time',
    example: exampleInstant(48),
    description: 'Later than the current `closesAt`, and at most 366 days from now.',
  })
  @IsInstant()
  readonly closesAt!: string;
}

export const EXTEND_EXAMPLES: Readonly<Record<string, ExtendBody>> = {
  'a day longer': { closesAt: exampleInstant(48) },
};
