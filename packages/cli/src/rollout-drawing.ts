/** The cameras and the Chromium that draw for `hub rollout`, and how far its rollouts and pictures are. */
import type { Chromium } from '@hub/check-worker/stills/find-chromium'
import type { ChosenCameras } from '@hub/rollout/loop/eyes'
import { type ClientIo, countText } from './client-output.ts'
import { UsageError } from './client-session.ts'
import { missingPackage } from './optional-packages.ts'
import { inLine, printOver } from './terminal.ts'

/** What `--camera` says. Throws a `UsageError`; whether there are such pictures and cameras, rollouts find. */
export function chosenCameras(given: readonly string[]): ChosenCameras {
  const chosen = new Map<string, string>()
  for (const text of given) {
    const at = text.indexOf('=')
    const [name, camera] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)]
    if (name === '' || camera === '')
      throw new UsageError(
        `--camera ${JSON.stringify(text)} is not NAME=CAMERA: a picture of the policy, and a camera.`,
      )
    const before = chosen.get(name)
    if (before !== undefined)
      throw new UsageError(`--camera takes one camera for ${JSON.stringify(name)}, not ${before} and ${camera}.`)
    chosen.set(name, camera)
  }
  return Object.fromEntries(chosen)
}

/** The Chromium of this machine, which a policy without pictures does not need. */
export async function drawerOf({ env }: ClientIo): Promise<Chromium> {
  const { findChromium } = await import('@hub/check-worker/stills/find-chromium')
  const found = await findChromium(env.HUB_CHROMIUM, env.PATH)
  const driver = 'missing' in found ? null : missingPackage('playwright-core')
  return driver === null ? found : { missing: `What drives it is ${driver}` }
}

/** On a terminal a line that is written over; else nothing, since the result says it all. */
export function progressOf({ stderr }: ClientIo, count: number) {
  let [done, successes, drawn] = [0, 0, 0]
  const tell = () => {
    const pictures = drawn > 0 ? `, ${countText(drawn, 'picture')} drawn` : ''
    if (stderr.isTTY)
      printOver(stderr, inLine(`${done} of ${countText(count, 'rollout')}, ${successes} succeeded${pictures}`))
  }
  tell()
  return {
    /** A rollout that waits for its pictures takes minutes where the processor draws them. */
    drew(pictures: number) {
      drawn += pictures
      tell()
    },
    done(success: boolean) {
      done += 1
      successes += Number(success)
      tell()
    },
    end: () => void (stderr.isTTY && printOver(stderr, '')),
  }
}
