import { render } from 'preact';
import { preferredLanguage } from '../kit/language';
import { Session } from '../kit/session';
import { readSettings } from '../kit/settings';
import { Console } from './console';
import { speakIn } from './words/language';
import { readZone } from './words/zone';
import './console.css';

const settings = readSettings();
// Without its texts, the console speaks English, and asks for them again next time.
await speakIn(preferredLanguage()).catch(() => undefined);
readZone(settings.zone);

render(
  <Console
    settings={settings}
    session={new Session('hongbao.console', { links: settings.faults !== undefined })}
  />,
  document.getElementById('page')!,
);
