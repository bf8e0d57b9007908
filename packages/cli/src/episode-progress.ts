/** Lines that say how many episodes are done. */
import { type ClientIo, countText } from './client-output.ts'
import { inLine, print } from './terminal.ts'

/** Between two lines: a log stays short, and a reader sees that it moves. */
const LINE_MS = 5000

/** `verb`: what is done with an episode: `checked`. */
export function episodeProgress({ stderr }: ClientIo, verb: string): (done: number, all: number) => void {
  let told = performance.now()
  return (done, all) => {
    const now = performance.now()
    if (now - told < LINE_MS) return
    told = now
    print(stderr, inLine(`hub: ${verb} ${done} of ${countText(all, 'episode')}`).concat('\n'))
  }
}
