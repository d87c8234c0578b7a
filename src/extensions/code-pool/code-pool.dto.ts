import { ApiProperty } from '@nestjs/swagger';
import {
  exampleInstant,
  IsPersonId,
  IsText,
  IsUserId,
  Omittable,
  PageQuery,
  personIdSchema,
  userIdSchema,
} from '../../platform/http';

export class CreateCodePoolBody {
  @ApiProperty({
    example: 'Coffee for a month',
    minLength: 1,
    maxLength: 100,
    description: 'Shown to people.',
  })
  @IsText({ min: 1, max: 100 })
  readonly name!: string;

  @ApiProperty({
    ...userIdSchema,
    example: 'sponsor-1',
    description: 'The sponsor. Only their activities give its codes.',
  })
  @IsUserId()
  readonly sponsorId!: string;
}

export const CODE_POOL_EXAMPLES: Readonly<Record<string, CreateCodePoolBody>> = {
  vouchers: { name: 'Coffee for a month', sponsorId: 'sponsor-1' },
};

export class CodePoolsQuery extends PageQuery {
  @Omittable({
    ...personIdSchema,
    description: 'Only the pools of this sponsor. Only staff may choose it; for users it is the caller.',
  })
  @IsPersonId()
  readonly sponsorId?: string;
}

const COUNT = { type: 'integer', minimum: 0 } as const;

export class CodePoolDto {
  @ApiProperty({ example: '7' })
  readonly id!: string;

  @ApiProperty({ example: 'Coffee for a month' })
  readonly name!: string;

  @ApiProperty({ example: 'sponsor-1' })
  readonly sponsorId!: string;

  @ApiProperty({ example: 'CODE7', description: 'The currency of activities that give its codes.' })
  readonly currency!: string;

  @ApiProperty({ ...COUNT, example: 5000, description: 'All codes that were ever uploaded.' })
  readonly uploaded!: number;

  @ApiProperty({ ...COUNT, example: 4000, description: 'Codes that an activity can reserve.' })
  readonly free!: number;

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly createdAt!: string;
}

export class CodePoolUseDto {
  @ApiProperty({ example: '1' })
  readonly activityId!: string;

  @ApiProperty({ example: 'New Year rain' })
  readonly name!: string;

  @ApiProperty({ example: 'active' })
  readonly status!: string;

  @ApiProperty({
    ...COUNT,
    example: 1000,
    description: 'The codes that it reserved, including those that it returned.',
  })
  readonly codes!: number;
}

export class CodePoolDetailDto extends CodePoolDto {
  @ApiProperty({
    ...COUNT,
    example: 900,
    description: 'Codes of packets that may still be won, or whose winners have not looked yet.',
  })
  readonly reserved!: number;

  @ApiProperty({ ...COUNT, example: 99, description: 'Codes that their winners have seen.' })
  readonly shown!: number;

  @ApiProperty({ ...COUNT, example: 1, description: 'Codes of void claims, which nobody can get any more.' })
  readonly burnt!: number;

  @ApiProperty({ type: [CodePoolUseDto], description: 'The activities that reserved codes: the newest 100.' })
  readonly activities!: CodePoolUseDto[];
}

export class CodeUploadDto {
  @ApiProperty({ ...COUNT, example: 1000, description: 'The codes of this file.' })
  readonly count!: number;

  @ApiProperty({ ...COUNT, example: 5000, description: 'All codes that were ever uploaded to the pool.' })
  readonly uploaded!: number;
}
