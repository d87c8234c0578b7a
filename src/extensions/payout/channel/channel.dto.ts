import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { URL_LENGTH_MAX } from '../../../../libs/public-address';
import {
  CurrencyField,
  exampleInstant,
  IsAnyText,
  IsFlag,
  IsMoney,
  IsObject,
  IsText,
  IsTimeZone,
  IsWholeNumber,
  Omittable,
  Removable,
} from '../../../platform/http';
import { type Pace, PACE } from './channel-pace';

function IsPace(name: keyof Pace, description: string): PropertyDecorator {
  const bounds = PACE[name];
  return applyDecorators(Omittable({ type: 'integer', ...bounds, description }), IsWholeNumber(bounds));
}

/** Documented without a default: generated clients would send it. */
function IsNewPace(name: keyof Pace): PropertyDecorator {
  const { minimum, maximum } = PACE[name];
  return applyDecorators(Omittable({ type: 'integer', minimum, maximum }), IsWholeNumber(PACE[name]));
}

const IsNewLimit = (example: string): PropertyDecorator =>
  applyDecorators(Removable({ type: String, example, description: 'Null: no limit.' }), IsMoney());

const PROFILE_RULE = 'must be a profile';

const GATHER = { type: 'integer', example: 3_600, minimum: 0, maximum: 7 * 86_400 } as const;

/** An estimate, at the pace of the channel's profile and after everything that already waits in it. */
export class PayoutEstimateDto {
  @ApiProperty({ type: 'integer', example: 1, description: 'Days of the channel that have payouts.' })
  readonly days!: number;

  @ApiProperty({ format: 'date-time', example: exampleInstant(1) })
  readonly endsAt!: string;

  @ApiProperty({
    type: 'number',
    minimum: 0,
    example: 86_400,
    description:
      'From now until `endsAt`. An activity that opens later, or releases packets later, ends later.',
  })
  readonly seconds!: number;
}

export class ChannelProfileBody {
  @ApiProperty({ example: '1.00', description: 'The smallest payout.' })
  @IsMoney()
  readonly smallest!: string;

  @Omittable({ example: '200.00', description: 'The largest payout. No limit when left out.' })
  @IsMoney()
  readonly largest?: string;

  @Omittable({
    example: '500.00',
    description: 'All payouts of a user within a day. No limit when left out.',
  })
  @IsMoney()
  readonly perUserPerDay?: string;

  @Omittable({
    example: '100000.00',
    description: 'All payouts that are sent within a day; any more wait. No limit when left out.',
  })
  @IsMoney()
  readonly perDay?: string;

  @IsPace('perSecond', 'Calls to the URL within a second, by all workers together.')
  readonly perSecond?: number;

  @IsPace('inFlight', 'Calls to the URL at the same time, by all workers together.')
  readonly inFlight?: number;

  @IsPace(
    'keyLifetimeSeconds',
    'A payment is never repeated after this time: the receiver may have forgotten its id.',
  )
  readonly keyLifetimeSeconds?: number;

  @IsPace(
    'quarantineSeconds',
    'After a call without a clear answer, `not-found` counts only after this time.',
  )
  readonly quarantineSeconds?: number;

  @IsPace('timeoutMs', 'Milliseconds that a call may take.')
  readonly timeoutMs?: number;

  @Omittable({
    ...GATHER,
    default: 0,
    description:
      'How many seconds a credit of an activity with this channel waits to be combined with others of the same user. ' +
      'If above zero, a packet may be smaller than the smallest payout.',
  })
  @IsWholeNumber(GATHER)
  readonly gatherSeconds?: number;

  @Omittable({
    example: 'Asia/Shanghai',
    default: 'UTC',
    description: 'The time zone in which days begin, by its IANA name.',
  })
  @IsTimeZone()
  readonly timeZone?: string;
}

export class CreateChannelBody {
  @ApiProperty({ example: 'Shop balance', minLength: 1, maxLength: 100 })
  @IsText({ min: 1, max: 100 })
  readonly name!: string;

  @Omittable({
    example: 'https://shop.example/hongbao',
    maxLength: URL_LENGTH_MAX,
    description:
      'An https URL at a public address, without a query: `PUT {url}/payouts/{payoutId}` is called for ' +
      'each payout. When left out, the back end of the channel reads the waiting payouts and reports their ' +
      'outcomes.',
  })
  @IsAnyText()
  readonly url?: string;

  @CurrencyField('The currency of what it pays out and of its profile, a code of `GET /v1/currencies`.')
  readonly currency?: string;

  @ApiProperty({ type: ChannelProfileBody })
  @IsObject(PROFILE_RULE)
  @ValidateNested()
  @Type(() => ChannelProfileBody)
  readonly profile!: ChannelProfileBody;
}

export const CREATE_CHANNEL_EXAMPLES: Readonly<Record<string, CreateChannelBody>> = {
  'its back end reads and reports': { name: 'Shop balance', profile: { smallest: '1.00' } },
  'called at a URL': {
    name: 'Shop balance',
    url: 'https://shop.example/hongbao',
    profile: { smallest: '1.00', largest: '200.00', perUserPerDay: '500.00', perDay: '100000.00' },
  },
};

export class ChangeProfileBody {
  @Omittable({ example: '1.00' })
  @IsMoney()
  readonly smallest?: string;

  @IsNewLimit('200.00')
  readonly largest?: string | null;

  @IsNewLimit('500.00')
  readonly perUserPerDay?: string | null;

  @IsNewLimit('100000.00')
  readonly perDay?: string | null;

  @IsNewPace('perSecond')
  readonly perSecond?: number;

  @IsNewPace('inFlight')
  readonly inFlight?: number;

  @IsNewPace('keyLifetimeSeconds')
  readonly keyLifetimeSeconds?: number;

  @IsNewPace('quarantineSeconds')
  readonly quarantineSeconds?: number;

  @IsNewPace('timeoutMs')
  readonly timeoutMs?: number;

  @Omittable(GATHER)
  @IsWholeNumber(GATHER)
  readonly gatherSeconds?: number;

  @Omittable({ example: 'Asia/Shanghai' })
  @IsTimeZone()
  readonly timeZone?: string;
}

export class ChangeChannelBody {
  @Omittable({ example: 'Shop balance', minLength: 1, maxLength: 100 })
  @IsText({ min: 1, max: 100 })
  readonly name?: string;

  @Omittable({
    example: 'https://shop.example/hongbao',
    maxLength: URL_LENGTH_MAX,
    description: 'Only for a channel that has one.',
  })
  @IsAnyText()
  readonly url?: string;

  @Omittable({
    example: true,
    default: false,
    description:
      'The new `url` leads to the same books as the former one. While payouts that were sent have not ended, a new ' +
      '`url` is refused without this: they are asked for there, and sent again if they are not found.',
  })
  @IsFlag()
  readonly sameBooks?: boolean;

  @CurrencyField('The currency of the channel, with amounts of a `profile`.')
  readonly currency?: string;

  @Omittable({ type: ChangeProfileBody, description: 'Fields that are left out stay as they are.' })
  @IsObject(PROFILE_RULE)
  @ValidateNested()
  @Type(() => ChangeProfileBody)
  readonly profile?: ChangeProfileBody;

  @Omittable({
    example: true,
    description:
      'A paused channel takes no new payouts, and nothing is sent to its URL. `false` also ends every wait that the ' +
      'channel has asked for.',
  })
  @IsFlag()
  readonly paused?: boolean;
}

export const CHANGE_CHANNEL_EXAMPLES: Readonly<Record<string, ChangeChannelBody>> = {
  'no change': {},
  pause: { paused: true },
  resume: { paused: false },
  limits: { profile: { largest: '200.00', perUserPerDay: '500.00', perDay: null } },
  name: { name: 'Shop balance' },
};

export class ChannelProfileDto {
  @ApiProperty({ example: '1.00' })
  readonly smallest!: string;

  @ApiProperty({ type: String, nullable: true, example: '200.00' })
  readonly largest!: string | null;

  @ApiProperty({ type: String, nullable: true, example: '500.00' })
  readonly perUserPerDay!: string | null;

  @ApiProperty({ type: String, nullable: true, example: '100000.00' })
  readonly perDay!: string | null;

  @ApiProperty({ type: 'integer', example: PACE.perSecond.default })
  readonly perSecond!: number;

  @ApiProperty({ type: 'integer', example: PACE.inFlight.default })
  readonly inFlight!: number;

  @ApiProperty({ type: 'integer', example: PACE.keyLifetimeSeconds.default })
  readonly keyLifetimeSeconds!: number;

  @ApiProperty({ type: 'integer', example: PACE.quarantineSeconds.default })
  readonly quarantineSeconds!: number;

  @ApiProperty({ type: 'integer', example: PACE.timeoutMs.default })
  readonly timeoutMs!: number;

  @ApiProperty(GATHER)
  readonly gatherSeconds!: number;

  @ApiProperty({ example: 'Asia/Shanghai' })
  readonly timeZone!: string;
}

export class ChannelDto {
  @ApiProperty({ example: '1' })
  readonly id!: string;

  @ApiProperty({ example: 'Shop balance' })
  readonly name!: string;

  @ApiProperty({ type: String, nullable: true, example: 'https://shop.example/hongbao' })
  readonly url!: string | null;

  @ApiPropertyOptional({
    example: 'CNY',
    description: 'What it pays out. Left out if it is the default of the installation.',
  })
  readonly currency?: string;

  @ApiProperty({ type: ChannelProfileDto })
  readonly profile!: ChannelProfileDto;

  @ApiProperty({ example: false })
  readonly paused!: boolean;

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly createdAt!: string;
}

export class ChangedChannelDto extends ChannelDto {
  @ApiPropertyOptional({
    example: 'a finding leaves open what it has paid',
    description: 'Why nothing is paid through it now. Left out if nothing holds it up.',
  })
  readonly heldBecause?: string;
}

const SECRET =
  'The key that signs what is sent to the URL, in base64 after the prefix. It is not shown again.';

export class CreatedChannelDto extends ChannelDto {
  @ApiProperty({
    required: false,
    example: 'whsec_…',
    description: `${SECRET} Only for a channel with a URL.`,
  })
  readonly secret?: string;
}

export class ChannelSecretDto {
  @ApiProperty({ example: 'whsec_…', description: SECRET })
  readonly secret!: string;

  @ApiProperty({
    format: 'date-time',
    example: exampleInstant(0),
    description: 'The former secret signs as well until then.',
  })
  readonly formerUntil!: string;
}

export class ChannelListDto {
  @ApiProperty({ type: [ChannelDto] })
  readonly items!: ChannelDto[];
}
