/** The Chromium that draws for `hub rollout`, and how far its rollouts and pictures are. */
import type { Chromium } from '@hub/check-worker/stills/find-chromium'
import { type ClientIo, countText } from './client-output.ts'
import { missingPackage } from './optional-packages.ts'
import { inLine, printOver } from './terminal.ts'

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
