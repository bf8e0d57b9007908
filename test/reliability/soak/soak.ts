/** A load that continues for so many minutes, what the hub's process holds meanwhile, and a recount at the end. */
import { setTimeout as delay } from 'node:timers/promises'
import { openLab } from '../lab/lab.ts'
import { startLoad, usualLoad } from '../load/load.ts'
import { recount } from '../recount/recount.ts'
import { plateauOf } from './plateau.ts'
import { type Sample, sampleOf } from './sample.ts'

const SAMPLE_MS = 2_000
const FINISH_MS = 60_000
const probe = new URL('../lab/probe.ts', import.meta.url).href

/** Prints a row for each minute, then the curve by five minutes, the plateau and the recount; whether all is well. */
export async function soak(minutes: number, say: (text: string) => void): Promise<boolean> {
  const probeFileOf = (dataDir: string) => `${dataDir}.probe`
  const lab = await openLab({
    flags: ['--import', probe],
    prepare: (dataDir) => ({ HUB_PROBE_FILE: probeFileOf(dataDir) }),
  })
  try {
    const load = await startLoad(lab, usualLoad)
    const tally = load.count()
    const samples: Sample[] = []
    const began = performance.now()
    const now = () => (performance.now() - began) / 60_000
    say(heading)
    for (let minute = 1; minute <= minutes; minute += 1) {
      while (now() < minute) {
        await delay(SAMPLE_MS)
        samples.push(sampleOf(lab.hubs[0]?.pid ?? 0, probeFileOf(lab.dataDir), now()))
      }
      say(row(minute - 1, minute, samples))
    }
    const isSettled = await load.finish(FINISH_MS)
    const findings = await recount(lab, load)
    say(`\nby five minutes\n\n${heading}`)
    for (let from = 0; from < minutes; from += 5) say(row(from, Math.min(from + 5, minutes), samples))
    const flat = (['rss', 'arrayBuffers', 'handles'] as const).map((name) => {
      const plateau = plateauOf(samples.map((sample) => ({ at: sample.minute, value: sample[name] })))
      say(
        `${name}: ${plateau.slope.toFixed(1)} an hour in the last third, at most ${plateau.bound.toFixed(1)}: ${plateau.isFlat ? 'flat' : 'not flat'}`,
      )
      return plateau.isFlat
    })
    say(
      `requests ${tally.sent}, acknowledged ${tally.acknowledged}, no answer ${tally.noAnswer}, longest ${tally.longestMs.toFixed(0)} ms (${tally.longestWhat})`,
    )
    say(`refused ${JSON.stringify(Object.fromEntries(tally.refused))}, unexpected ${JSON.stringify(tally.unexpected)}`)
    say(`counted ${JSON.stringify(Object.fromEntries(findings.counted))}`)
    say(
      `lost ${findings.lost.length}, twice ${findings.twice.length} ${JSON.stringify([...findings.lost, ...findings.twice].slice(0, 10))}`,
    )
    return (
      isSettled && flat.every(Boolean) && findings.lost.length + findings.twice.length + tally.unexpected.length === 0
    )
  } finally {
    await lab.close()
  }
}

const members = ['rss', 'anonymous', 'heapTotal', 'heapUsed', 'external', 'arrayBuffers', 'handles', 'sockets'] as const

const heading = `| minutes | ${members.map((name) => `${name}: least, mean, most`).join(' | ')} |\n|---|${members.map(() => '---').join('|')}|`

function row(from: number, to: number, samples: readonly Sample[]): string {
  const within = samples.filter(({ minute }) => minute >= from && minute < to)
  const cells = members.map((name) => {
    const values = within.map((sample) => sample[name])
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    return [Math.min(...values), mean, Math.max(...values)].map((value) => value.toFixed(0)).join(' ')
  })
  return `| ${from} to ${to} | ${cells.join(' | ')} |`
}
