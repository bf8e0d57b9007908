import type { Plugin } from 'esbuild'

/** Error messages of zod in 50 languages would be a third of a bundle; every message of the hub is English. */
export const englishOnly: Plugin = {
  name: 'english-only',
  setup({ onLoad }) {
    onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
    }))
  },
}
