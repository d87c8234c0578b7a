import { words } from '../words';
import { chosenZone, chooseZone, nameOfZone, type Zone, ZONES } from '../words/zone';
import { Choice } from './form';

/** @param onSwitch redraws the page */
export function ZoneChoice({ onSwitch }: { readonly onSwitch: () => void }) {
  const options = Object.fromEntries(ZONES.map((zone) => [zone, words.zones[zone](nameOfZone(zone))]));
  const choose = (zone: string) => {
    chooseZone(zone as Zone);
    onSwitch();
  };
  return <Choice label={words.zones.title} value={chosenZone()} options={options} onValue={choose} />;
}
