import type { Plugin } from 'esbuild'
import { scenePage } from '../scene-page.ts'

/** The page that draws stills stands in the bundle as a text: a packed program has no folder `generated/`. */
export const inlineStillPage: Plugin = {
  name: 'inline-still-page',
  setup({ onLoad }) {
    onLoad({ filter: /\/still-page-script\.ts$/ }, async () => ({
      contents: `export const readStillPage = async () => ${JSON.stringify(await scenePage())}`,
    }))
  },
}
