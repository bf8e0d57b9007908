/** How a picture looks for a light and for a dark page. */

export interface Theme {
  /** The top and the bottom of the background, as sRGB. */
  readonly sky: number
  readonly ground: number
  /** Opacity of the shadow on the ground. */
  readonly shadow: number
  /** How bright the light of the surroundings, the lamp in front, and the lamp behind are. */
  readonly surroundings: number
  readonly lamp: number
  readonly rim: number
}

export const themes = {
  light: { sky: 0xf7f8fa, ground: 0xdfe3e8, shadow: 0.3, surroundings: 0.6, lamp: 1.6, rim: 0.6 },
  dark: { sky: 0x2b3038, ground: 0x14171b, shadow: 0.55, surroundings: 0.6, lamp: 1.6, rim: 2.2 },
} as const satisfies Readonly<Record<string, Theme>>

export type ThemeName = keyof typeof themes
