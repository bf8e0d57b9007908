/** Which browser a `User-Agent` header names, in words. Pure. */

/** The first that fits: most browsers also name the ones that they descend from. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|Chromium|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
]

const systems: readonly (readonly [RegExp, string])[] = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

const among = (names: typeof browsers, text: string) => names.find(([pattern]) => pattern.test(text))?.[1]

/** `Firefox on Linux`; "another program" for what is not a browser that is known here. */
export function browserOf(userAgent: string): string {
  const [browser, system] = [among(browsers, userAgent), among(systems, userAgent)]
  if (!browser) return 'another program'
  return system ? `${browser} on ${system}` : browser
}
