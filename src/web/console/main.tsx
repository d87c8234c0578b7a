import { render } from 'preact';
import { preferredLanguage } from '../kit/language';
import { Session } from '../kit/session';
import { readSettings } from '../kit/settings';
import { Console } from './console';
import { speakIn } from './words/language';
import { readZone } from './words/zone';
import './console.css';

const settings = readSettings();
speakIn(preferredLanguage());
readZone(settings.zone);

render(
  <Console
    settings={settings}
    session={new Session('hongbao.console', { links: settings.faults !== undefined })}
  />,
  document.getElementById('page')!,
);
