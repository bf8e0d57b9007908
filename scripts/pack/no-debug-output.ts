import type { Plugin } from 'esbuild'

/**
 * The package `debug` asks for a terminal by `require`, which a module does not have; what it would print is about the
 * packages that use it.
 */
export const noDebugOutput: Plugin = {
  name: 'no-debug-output',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/]debug[\\/]src[\\/]index\.js$/ }, () => ({
      contents: 'export default () => () => {}',
      loader: 'js',
    }))
  },
}
