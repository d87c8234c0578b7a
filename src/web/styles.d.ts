/** A text where a script adopts it (`deploy/bundle-web.mjs`); all others are only imported. */
declare module '*.css' {
  const text: string;
  export default text;
}
