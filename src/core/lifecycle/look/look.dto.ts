import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { Judged, Removable } from '../../../platform/http';
import { LOGO_TEXT_MAX, logoOf, Theme } from '../../activity';

/** A single golden pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4f50BAASvAdf+LcOSAAAAAElFTkSuQmCC';

const IsLogo = () =>
  Judged('isLogo', (value) => {
    const logo = logoOf(value);
    return 'rule' in logo ? logo : undefined;
  });

export class ChangeLookBody {
  @Removable({ type: Theme, description: 'The whole theme. Unchanged when left out; null removes it.' })
  @ValidateNested()
  @Type(() => Theme)
  readonly theme?: Theme | null;

  @Removable({
    type: String,
    maxLength: LOGO_TEXT_MAX,
    example: `data:image/png;base64,${PIXEL}`,
    description:
      'A PNG or WebP image of at most 8 KiB and 512 × 512 pixels, as a data URL. Unchanged when left out; null ' +
      'removes it.',
  })
  @IsLogo()
  readonly logo?: string | null;
}

export const LOOK_EXAMPLES: Readonly<Record<string, ChangeLookBody>> = {
  'no change': {},
  theme: {
    theme: {
      sender: 'Acme',
      greeting: 'Happy New Year!',
      colors: { background: '#b3001b', foreground: '#ffffff', accent: '#ffd700' },
    },
  },
  logo: { logo: `data:image/png;base64,${PIXEL}` },
  'neither theme nor logo': { theme: null, logo: null },
};
