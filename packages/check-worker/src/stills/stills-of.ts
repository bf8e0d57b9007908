/** The stills of a checked model as artifacts of its check. */
import type { EngineRun } from '../engine/run-engine.ts'
import type { Chromium } from './find-chromium.ts'
import { renderStills, type Stills } from './render-stills.ts'

/** `name`: an accepted artifact of a robot check. */
export interface Still {
  readonly name: 'thumbnail.png' | 'thumbnail-dark.png'
  readonly bytes: Uint8Array
}

export interface Drawing {
  readonly chromium: Chromium
  readonly signal: AbortSignal
  readonly log: (line: string) => void
}

/** Both or none; the log says why there are none. Rejects with the signal's reason alone. */
export async function stillsOf(scene: EngineRun['scene'], drawing: Drawing): Promise<readonly Still[]> {
  const stills = await drawn(scene, drawing)
  if ('skipped' in stills) {
    drawing.log(`no stills: ${stills.skipped}`)
    return []
  }
  return [
    { name: 'thumbnail.png', bytes: stills.light },
    { name: 'thumbnail-dark.png', bytes: stills.dark },
  ]
}

async function drawn(scene: EngineRun['scene'], { chromium, signal, log }: Drawing): Promise<Stills> {
  if ('missing' in chromium) return { skipped: chromium.missing }
  if (scene === null) return { skipped: 'The model was not stepped to its end.' }
  if ('missing' in scene) return { skipped: scene.missing }
  return renderStills({ scene, program: chromium.program, signal, log })
}
