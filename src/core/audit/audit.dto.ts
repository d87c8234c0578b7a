import { ApiProperty } from '@nestjs/swagger';
import { must } from '../../../libs/problem';
import {
  exampleInstant,
  Is,
  IsDay,
  IsPersonId,
  Omittable,
  PageQuery,
  personIdSchema,
} from '../../platform/http';

/** A noun has no colon, so the first colon ends it, whatever the id contains. */
const SUBJECT = /^[a-z-]{1,32}:[\x21-\x7e]{1,128}$/;

const ACTION = /^[a-z-]{1,32}\.[a-z-]{1,32}$/;

export class AuditQuery extends PageQuery {
  @Omittable({ ...personIdSchema, description: 'Only actions by this caller, such as `operator-7`.' })
  @IsPersonId()
  readonly actorId?: string;

  @Omittable({
    pattern: SUBJECT.source,
    description:
      'Only actions on this target: the noun of the action and an id, such as `activity:42` or `wallet:u1`.',
  })
  @Is('isSubject', (value) => typeof value === 'string' && SUBJECT.test(value), must.beA('subject'))
  readonly subject?: string;

  @Omittable({
    pattern: ACTION.source,
    description: 'Only this action, `<noun>.<verb>`, such as `wallet.freeze`.',
  })
  @Is('isAction', (value) => typeof value === 'string' && ACTION.test(value), must.beA('action'))
  readonly action?: string;

  @Omittable({ format: 'date', description: 'Only actions on this day (UTC), such as 2031-02-03.' })
  @IsDay()
  readonly day?: string;
}

const facts = (example: object) => ({ type: 'object' as const, additionalProperties: true, example });

export class AuditDto {
  @ApiProperty({ example: '42' })
  readonly id!: string;

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly at!: string;

  @ApiProperty({ example: 'operator-7' })
  readonly actorId!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'shop-backend',
    description: 'The server that acted for them (`Act-For`). Null if they acted themselves.',
  })
  readonly via!: string | null;

  @ApiProperty({
    example: 'wallet.freeze',
    description: 'The action, `<noun>.<verb>`. Later versions may add more.',
  })
  readonly action!: string;

  @ApiProperty({ example: 'wallet:u1' })
  readonly subject!: string;

  @ApiProperty(facts({ status: 'active' }))
  readonly before!: object;

  @ApiProperty(facts({ status: 'frozen' }))
  readonly after!: object;

  @ApiProperty(facts({}))
  readonly detail!: object;
}
