import { render } from 'preact';
import { Session } from '../kit/session';
import { readSettings } from '../kit/settings';
import { activityId, KEPT_AS } from './place';
import { Rain } from './rain';
import './rain.css';

const settings = readSettings();

render(
  <Rain
    activityId={activityId}
    settings={settings}
    session={new Session(KEPT_AS, { embedders: settings.embedders, links: true })}
  />,
  document.getElementById('page')!,
);
