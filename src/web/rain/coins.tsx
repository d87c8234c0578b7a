/** How far each coin flies aside, in rem. */
const COINS = [-9, -7, -5, -3, -1, 1, 3, 5, 7, 9];

/** Coins that fly out of a packet once. The browser moves them by itself (rain.css). */
export const Coins = () => (
  <div class="coins" aria-hidden="true">
    {COINS.map((aside) => (
      <i key={aside} style={{ '--aside': `${aside}rem` }} />
    ))}
  </div>
);
