import { render } from 'preact';
import { Session } from '../kit/session';
import { readSettings } from '../kit/settings';
import { Rain } from './rain';
import './rain.css';

/** The page is at `/rain/{activityId}`, below whatever path another server puts it. */
const activityId = decodeURIComponent(location.pathname.replace(/\/$/, '').split('/').at(-1)!);
const settings = readSettings();

render(
  <Rain
    activityId={activityId}
    settings={settings}
    session={new Session('hongbao.player', { embedders: settings.embedders, links: true })}
  />,
  document.getElementById('page')!,
);
