import { ApiProperty } from '@nestjs/swagger';
import {
  exampleInstant,
  IsPersonId,
  IsUserId,
  Omittable,
  personIdSchema,
  userIdSchema,
} from '../../platform/http';

/** As the body of a creation. */
export class TicketKeysOf {
  @Omittable({
    ...userIdSchema,
    description: 'The sponsor. Only staff may choose it; for users it is the caller.',
  })
  @IsUserId()
  readonly sponsorId?: string;
}

export class TicketKeysQuery {
  @Omittable({
    ...personIdSchema,
    description: 'The sponsor. Only staff may choose it; for users it is the caller.',
  })
  @IsPersonId()
  readonly sponsorId?: string;
}

export class TicketKeyDto {
  @ApiProperty({ example: '1', description: 'A ticket may name its key by this `kid`.' })
  readonly id!: string;

  @ApiProperty({ example: 'u1' })
  readonly sponsorId!: string;

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly createdAt!: string;
}

export class CreatedTicketKeyDto extends TicketKeyDto {
  @ApiProperty({
    example: 'whsec_…',
    description: 'The HS256 key, in base64 after the prefix. It is not shown again.',
  })
  readonly secret!: string;
}

export class TicketKeyListDto {
  @ApiProperty({ type: [TicketKeyDto] })
  readonly items!: TicketKeyDto[];
}
