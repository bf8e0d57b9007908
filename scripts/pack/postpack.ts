/** `postpack` of a package, in its folder. */
import { restoreManifest } from './swap-manifest.ts'

restoreManifest(process.cwd())
