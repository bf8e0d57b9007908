/** The bytes of MuJoCo as they come: compiled meanwhile, and counted for the person who waits for them. */

import type { Instantiate } from '@hub/robot-view/physics/mujoco'
import address from '@mujoco/mujoco/mujoco.wasm?url'
import { mujocoNotDownloaded, ViewerProblem } from '../problems.ts'
import { countedBytes } from './counted-bytes.ts'

/** Of the file, which is sent compressed: the build writes the number here. */
declare const MUJOCO_BYTES: number

/** `tell`: bytes that have come, and all of them. Rejects with a `ViewerProblem` where they do not come. */
export function downloadedMujoco(tell: (doneBytes: number, totalBytes: number) => void): Instantiate {
  return async (imports) => {
    const answer = await fetch(address).catch((error: unknown) => {
      throw new ViewerProblem(mujocoNotDownloaded(String(error)))
    })
    if (!answer.ok || !answer.body) throw new ViewerProblem(mujocoNotDownloaded(`The answer was ${answer.status}.`))
    // The answer itself is compiled as it comes, so that the browser keeps the code; a copy of it is counted.
    const copy = answer.clone().body
    const built = WebAssembly.instantiateStreaming(answer, imports as WebAssembly.Imports)
    // Bytes that did not come are told by the download, whatever the compiler says of them.
    built.catch(() => undefined)
    if (copy)
      await countedBytes(copy, (done) => tell(done, MUJOCO_BYTES)).catch((error: unknown) => {
        throw new ViewerProblem(mujocoNotDownloaded(String(error)))
      })
    return built
  }
}
