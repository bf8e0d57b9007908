/**
 * `npm run reliability [-- --faults a,b | --soak MINUTES]`: breaks a deployment under load in nine ways and recounts after each what was acknowledged, or lets
 * a load continue and shows what the hub's process holds. Without arguments it has all faults. Ends with code 1 where something was lost, is there twice, came too
 * late, or grows.
 */
import { everyFault } from './faults/every-fault.ts'
import { runFaults } from './faults/run-fault.ts'
import { faultHeading, faultProblems, faultRow } from './faults/table.ts'
import { closeLabs, openLab } from './lab/lab.ts'
import { usualLoad } from './load/load.ts'
import { soak } from './soak/soak.ts'
import { told } from './told.ts'

const TIMES = { aroundMs: 8_000, faultMs: 12_000 }

const say = (text: string) => process.stdout.write(`${text}\n`)

async function breakEach(names: readonly string[]): Promise<boolean> {
  let isWell = true
  say(faultHeading)
  for (const fault of everyFault) {
    if (!names.includes(fault.name)) continue
    if (fault.needs) {
      say(`| ${fault.title} | skipped: it needs ${fault.needs} |`)
      continue
    }
    const lab = await openLab(fault.lab)
    try {
      const result = await runFaults(lab, [fault], usualLoad, TIMES)
      say(faultRow(fault, result))
      if (!result.isWell) process.stderr.write(`${faultProblems(result).join('\n')}\n`)
      isWell &&= result.isWell
    } finally {
      await lab.close()
    }
  }
  return isWell
}

const asked = told(
  process.argv.slice(2),
  everyFault.map(({ name }) => name),
)
if ('says' in asked) {
  const stream = asked.code === 0 ? process.stdout : process.stderr
  stream.write(asked.says)
  process.exit(asked.code)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void closeLabs().finally(() => process.exit(130)))
const isWell = 'faults' in asked ? await breakEach(asked.faults) : await soak(asked.soakMinutes, say)
process.exit(isWell ? 0 : 1)
