import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { must } from '../../../libs/problem';
import { isUserId, USER_ID_PATTERN, USER_ID_RULE } from '../../../libs/user-id';
import type { AudienceDefinition } from '../../core/activity';
import { IsList, IsObject, IsOneOf, IsText, Omittable, oneOfBy } from '../../platform/http';
import { PASSWORD_LENGTH_MAX } from './password';

export const PEOPLE_MAX = 500;

export const HIDDEN_KINDS = ['link', 'people', 'password'] as const;
export type HiddenKind = (typeof HIDDEN_KINDS)[number];

const KINDS = ['public', ...HIDDEN_KINDS] as const;

/** An unknown kind is refused here. */
class AudienceBody {
  @IsOneOf(KINDS)
  readonly kind!: (typeof KINDS)[number];
}

export class PublicAudienceBody extends AudienceBody {
  @ApiProperty({ enum: ['public'] })
  declare readonly kind: 'public';
}

/** Users with the share code, which the activity gets automatically. */
export class LinkAudienceBody extends AudienceBody {
  @ApiProperty({ enum: ['link'] })
  declare readonly kind: 'link';
}

export class PeopleAudienceBody extends AudienceBody {
  @ApiProperty({ enum: ['people'] })
  declare readonly kind: 'people';

  @ApiProperty({
    type: 'array',
    items: { type: 'string', pattern: USER_ID_PATTERN },
    minItems: 1,
    maxItems: PEOPLE_MAX,
    example: ['u2', 'u3'],
    description: 'With one id, it is a packet for one person.',
  })
  @IsList({
    isItem: isUserId,
    fault: must.beA('list', `must be a list of user ids, each of which ${USER_ID_RULE}`),
    verb: 'name',
    noun: 'user',
    maximum: PEOPLE_MAX,
  })
  readonly userIds!: string[];
}

export class PasswordAudienceBody extends AudienceBody {
  @ApiProperty({ enum: ['password'] })
  declare readonly kind: 'password';

  @ApiProperty({
    example: '恭喜发财',
    minLength: 1,
    maxLength: PASSWORD_LENGTH_MAX,
    description: 'Case, spaces, and full or half width make no difference.',
  })
  @IsText({ min: 1, max: PASSWORD_LENGTH_MAX })
  readonly password!: string;
}

const BODIES = {
  public: PublicAudienceBody,
  link: LinkAudienceBody,
  people: PeopleAudienceBody,
  password: PasswordAudienceBody,
};

export const AUDIENCE_BODIES = Object.values(BODIES);

export type AnyAudienceBody =
  PublicAudienceBody | LinkAudienceBody | PeopleAudienceBody | PasswordAudienceBody;

/** Whom an activity is for, as shown to everyone who sees the activity. */
export class ShownAudienceDto {
  @ApiProperty({ enum: HIDDEN_KINDS, example: 'link' })
  readonly kind!: HiddenKind;
}

export class ShareCodeDto {
  @ApiProperty({
    example: 'yGIPwJ2Y7hCqkXz1Rr8dNw',
    description: 'For the header `Share-Code`, and after `#c=` in a link to the page `/rain/{id}`.',
  })
  readonly shareCode!: string;
}

export class AudienceDto {
  @ApiProperty({ enum: KINDS, example: 'link' })
  readonly kind!: (typeof KINDS)[number];

  @ApiPropertyOptional({ example: 'yGIPwJ2Y7hCqkXz1Rr8dNw', description: 'Only with the kind `link`.' })
  readonly shareCode?: string;

  @ApiPropertyOptional({ type: [String], example: ['u2', 'u3'], description: 'Only with the kind `people`.' })
  readonly userIds?: string[];

  @ApiPropertyOptional({ example: '恭喜发财', description: 'Only with the kind `password`.' })
  readonly password?: string;
}

const SCHEMA = 'AudienceBody';
const REFERENCE = { $ref: getSchemaPath(SCHEMA) };

/** Shows clients which fields each kind has. */
export function describeAudiences(document: OpenAPIObject): void {
  document.components!.schemas![SCHEMA] = oneOfBy('kind', BODIES);
}

export const audienceTerms: AudienceDefinition = {
  terms: applyDecorators(
    Omittable({
      ...REFERENCE,
      description:
        'Who may know of it and tap. For all others it does not exist. By default `public` if staff create it, and ' +
        '`link` if a user does.',
    }),
    IsObject('must say who may know of the activity'),
    ValidateNested(),
    Type(() => AudienceBody, {
      keepDiscriminatorProperty: true,
      discriminator: {
        property: 'kind',
        subTypes: Object.entries(BODIES).map(([name, value]) => ({ name, value })),
      },
    }),
  ),
  shownTerms: ApiPropertyOptional({ type: ShownAudienceDto, description: 'Left out if it is public.' }),
  repeatedTerms: ApiPropertyOptional({ ...REFERENCE, description: 'Left out if it is public.' }),
};
