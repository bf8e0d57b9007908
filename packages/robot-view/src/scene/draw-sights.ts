/** What a page without a window is asked that draws what the cameras of a model see, and what it answers. */

import type { AskedSight } from './eye-of.ts'
import type { CameraFacts } from './scene.ts'

/** The cameras that are looked through at one moment, and where bodies and cameras are then (`Poses`). */
export interface SightsRequest {
  readonly asked: readonly AskedSight[]
  readonly bodies: readonly number[]
  readonly cameras: readonly number[]
}

/**
 * The page's global function `openSights`: fetches a scene with its light (`encodeScene`), and answers what draws it in
 * the words of three.js and WebGL. Rejects where the scene has no light, or the browser no WebGL.
 */
export type OpenSights = (scene: string, cameras: readonly CameraFacts[]) => Promise<string>

/**
 * The page's global function `seeSights`: red, green, blue and opacity of each pixel of each picture, row by row from
 * the top, in base64. Throws where nothing is open, or the graphics card has taken back what it draws with.
 */
export type SeeSights = (request: SightsRequest) => readonly string[]
