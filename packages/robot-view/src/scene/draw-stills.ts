/** What the page that draws stills is asked, and answers. */

/** PNGs as data URLs. */
export interface DrawnStills {
  readonly light: string
  readonly dark: string
}

/**
 * The page's one global function, `drawStills`. `scene`: where the bytes of `encodeScene` are fetched from. Sizes are
 * in pixels.
 */
export type DrawStills = (scene: string, width: number, height: number) => Promise<DrawnStills>
