import { render } from 'preact';
import { PLAYER, Session } from '../kit/session';
import { readSettings } from '../kit/settings';
import { activityId } from './place';
import { Rain } from './rain';
import '../kit/looks.css';
import '../kit/purse.css';
import './rain.css';

const settings = readSettings();

render(
  <Rain
    activityId={activityId}
    settings={settings}
    session={new Session(PLAYER, { embedders: settings.embedders, links: true })}
  />,
  document.getElementById('page')!,
);
