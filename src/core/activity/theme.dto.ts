import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { contrast, CONTRAST_MIN, isColor } from '../../../libs/contrast';
import { must } from '../../../libs/problem';
import { Is, IsText, Judged, Omittable } from '../../platform/http';

const HEX = /^#[0-9a-f]{6}$/i;
const COLOR = { pattern: HEX.source.replace('a-f', 'a-fA-F'), maxLength: 7 };

const IsColor = () =>
  Is('isColor', (value) => typeof value === 'string' && HEX.test(value), must.beA('colour'));

const SENDER = { min: 1, max: 40 };
const GREETING = { min: 1, max: 80 };

/** Checks that people can read text of this colour on the background. */
const IsReadable = () =>
  Judged('isReadable', (color, colors) => {
    const { background } = colors as ThemeColors;
    if (!isColor(color) || !isColor(background) || contrast(color, background) >= CONTRAST_MIN)
      return undefined;
    return must.haveContrast(CONTRAST_MIN, 'theme.colors.background');
  });

/** The colours of the page. The other two are read on the background. */
export class ThemeColors {
  @ApiProperty({ ...COLOR, example: '#b3001b' })
  @IsColor()
  readonly background!: string;

  @ApiProperty({
    ...COLOR,
    example: '#ffffff',
    description: 'The colour of text. Its contrast with `background` is at least 4.5:1.',
  })
  @IsReadable()
  @IsColor()
  readonly foreground!: string;

  @ApiProperty({
    ...COLOR,
    example: '#ffd700',
    description: 'The colour of amounts and buttons. Its contrast with `background` is at least 4.5:1.',
  })
  @IsReadable()
  @IsColor()
  readonly accent!: string;
}

/** The look of the page of a rain. It holds texts and colours, and nothing that a browser would run. */
export class Theme {
  @Omittable({
    example: 'Acme',
    minLength: SENDER.min,
    maxLength: SENDER.max,
    description: 'The name of the giver.',
  })
  @IsText(SENDER)
  readonly sender?: string;

  @Omittable({
    example: 'Happy New Year!',
    minLength: GREETING.min,
    maxLength: GREETING.max,
    description: 'A greeting for players, shown as written.',
  })
  @IsText(GREETING)
  readonly greeting?: string;

  @Omittable({ type: ThemeColors, description: 'All three or none. By default, the colours of the page.' })
  @ValidateNested()
  @Type(() => ThemeColors)
  readonly colors?: ThemeColors;
}
