/**
 * `npm run reliability [-- --faults a,b] [--soak MINUTES]`: breaks a deployment under load in nine ways and recounts after each what was acknowledged, or lets
 * a load go on and shows what the hub's process holds. Without arguments it has all faults. Ends with code 1 where something was lost, is there twice, or grows.
 */
import { parseArgs } from 'node:util'
import { soak } from './soak/soak.ts'

const { values } = parseArgs({ options: { faults: { type: 'string' }, soak: { type: 'string' } } })
const say = (text: string) => process.stdout.write(`${text}\n`)
let isWell = true
if (values.soak !== undefined) isWell = await soak(Number(values.soak), say)
process.exit(isWell ? 0 : 1)
