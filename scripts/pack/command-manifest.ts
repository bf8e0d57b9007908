/** The package.json of packed packages. */
import { optionalPackages } from '../../packages/cli/src/optional-packages.ts'
import type { Manifest } from './packages.ts'

/** What a packed package has of the package.json in the tree. */
export function commonManifest(manifest: Manifest) {
  const { scripts, devDependencies, dependencies, exports, packed, bin, ...same } = manifest
  return { ...same, files: ['dist'] }
}

/** Of the package `hub`, which is one file. */
export function commandManifest(manifest: Manifest) {
  const optional = Object.keys(optionalPackages).map((name) => [name, { optional: true }])
  return {
    ...commonManifest(manifest),
    bin: { hub: 'dist/hub.mjs' },
    exports: { './package.json': './package.json' },
    peerDependencies: optionalPackages,
    peerDependenciesMeta: Object.fromEntries(optional),
  }
}
